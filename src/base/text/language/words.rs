//! The most frequent small words of languages that share a script; they tell these apart in few words. A word that
//! several languages have is listed for each. These are not the stop words of the analysis, which are more, and some of
//! them rare.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use whatlang::Lang;

use super::super::stems::WordHashing;

const WORDS: [(Lang, &str); 31] = [
    (
        Lang::Eng,
        "the and of to is was with that for are what how which who whom whose did does do were this from by has have when \
         why where its in on at it a an as be been or not you i can could would will we they there these than about if but \
         his her he she their into my your many much explain describe tell me",
    ),
    (
        Lang::Deu,
        "der die das und ist nicht ein eine einer einem einen den dem des mit von für wie wer wen wem was wann wo warum hat \
         wurde wurden werden wird auf im in zu zum zur sich auch welche welcher welches welchem welchen als an bei aus nach \
         oder sind es er sie kann können ich man durch über um war so dass daß nur noch vor gibt woher wohin wieviel wessen \
         bis je unter wenn jede jeder",
    ),
    (
        Lang::Fra,
        "le la les des est et un une dans qui pour du de au aux sur pas quel quelle quels quelles comment pourquoi où avec \
         par il elle sont en que qu ce cette ces ne se son sa ses plus ou était ont été a quand combien puis je on nous \
         vous l d n s c à qui quoi lequel laquelle être fait",
    ),
    (
        Lang::Spa,
        "el la los las un una unos de del en y por con para es al que se no cómo qué quién quiénes cuándo dónde cuál cuáles \
         cuánto cuánta cuántos cuántas más su sus como fue son pero lo le o ha este esta estos entre sobre también era está \
         desde hasta muy sin puedo puede ser",
    ),
    (
        Lang::Ita,
        "il lo la i gli le un una di del della dei delle nel nella al alla ai dal dalla da in e che è per sono non con come \
         perché quando chi cosa quale quali quanto quanti quante dove più anche si su ha era o se questo questa suo sua stato \
         stata cui ma tra l d c fu posso",
    ),
    (
        Lang::Por,
        "o a os as um uma de do da dos das em no na nos nas e que é com para por não se como quem qual quais quando onde \
         quantos quantas quanto porque foi mais ao aos à são seu sua ser ou mas também pelo pela entre era ele ela está \
         sobre isso este esta foram posso",
    ),
    (
        Lang::Nld,
        "de het een van en niet dat is op te zijn voor met wat hoe wie waarom waar wanneer welke welk hoeveel ook aan door \
         werd werden in uit bij als om naar er ze zij hij of maar dan kan worden wordt was die dit deze tot over heeft had \
         ik je u men kun",
    ),
    (
        Lang::Swe,
        "och att det som är inte på en ett med för den av till var i de om har kan från eller hur vad vem vilka vilken vilket \
         när varför under vid så ska skall blev sig man ut mellan efter jag du",
    ),
    (
        Lang::Dan,
        "og at det som er ikke på en et med for den af til var i de om har kan fra eller hvordan hvad hvem hvilke hvilken \
         hvilket hvornår hvorfor hvor under ved så skal blev sig man ud mellem efter jeg du blive bliver også",
    ),
    (
        Lang::Nob,
        "og at det som er ikke på en et med for den av til var i de om har kan fra eller hvordan hva hvem hvilke hvilken \
         hvilket når hvorfor hvor under ved så skal ble seg man ut mellom etter jeg du bli blir også",
    ),
    (
        Lang::Pol,
        "nie się jest na do że w z i jak to kto są od przez co czy o po dla gdzie kiedy dlaczego który która które których \
         jaki jaka jakie ile został została były był była było oraz lub może za ze ma jego ich tym tego ten te jako a można \
         mogę",
    ),
    (
        Lang::Ces,
        "a v na je se že s z do o i by jsou pro jak to co kdo kde kdy proč který která které kolik byl byla bylo nebo po od \
         za ve k také jako jeho při podle být není ale už tak aby mohu ze",
    ),
    (
        Lang::Slk,
        "a v na je sa že s z do o aj by sú pre ako to čo kto kde kedy prečo ktorý ktorá ktoré koľko bol bola bolo alebo po \
         od za vo k tiež jeho pri podľa byť nie ale už tak aby zo",
    ),
    (
        Lang::Hrv,
        "i u je na se da za s od su o koji koja koje kako što tko gdje kada zašto koliko bio bila bilo ili po iz do nije \
         također kao ali to može biti ne prema te bi sa",
    ),
    (
        Lang::Slv,
        "in v je na se da za s z od so o ki kako kaj kdo kje kdaj zakaj kateri katera katere koliko bil bila bilo ali po iz \
         do ni tudi kot pa to lahko biti ne bi pri",
    ),
    (
        Lang::Ron,
        "și şi de la în a al ale ai cu pe o un una este sunt din care cum ce cine când unde cât câte câți câţi cati nu se că pentru \
         mai prin sau a fost au lor lui fi dar după fost ca să sa acest această acestei poate pot dintre între despre",
    ),
    (
        Lang::Tur,
        "ve bir bu da de için ile olarak olan olarak ne kim nasıl nerede zaman hangi kaç neden niçin gibi daha çok en kadar \
         sonra önce ise değil var yok her ya veya o ki tarafından nedir kimdir mi mı mu mü olduğu olup",
    ),
    (
        Lang::Fin,
        "ja on ei se että oli ovat kuin tai myös joka jotka mikä mitä kuka missä milloin miksi miten kuinka hän ne mutta \
         kun sekä vuonna voi olla kanssa jos jossa niin sen",
    ),
    (
        Lang::Est,
        "ja on ei see et oli ning või ka mis kes kus millal miks kuidas mitu kui aga ta nad seda selle olid mida oma pärast \
         aastal võib",
    ),
    (
        Lang::Hun,
        "a az és egy hogy nem is van volt mi mit ki hol mikor miért hogyan hány melyik milyen meg de ez azt csak mint vagy \
         el be ha már még lehet által után",
    ),
    (
        Lang::Lit,
        "ir yra kad su iš į ar kaip kas kur kada kodėl kiek kuris kuri buvo ne tai bet už per nuo iki apie taip pat dėl jo",
    ),
    (
        Lang::Lav,
        "un ir ka ar no uz vai kā kas kur kad kāpēc cik kurš kura bija ne tas bet par pa līdz arī to viņa gada",
    ),
    (
        Lang::Vie,
        "và là của có được trong cho một các những không với này đã khi từ như người ở đến tại ai gì nào bao nhiêu đâu tại \
         sao thế về để ra vào năm do theo bị",
    ),
    (
        Lang::Cat,
        "el la els les un una de del dels en i que és per amb no es al als com què qui quan on quin quina quins quines quant \
         quants més seu seva va ser són o però ha també entre l d aquest aquesta fou perquè",
    ),
    (
        Lang::Ind,
        "yang dan di dari untuk dengan pada adalah ini itu dalam ke tidak oleh sebagai apa siapa mana kapan mengapa bagaimana berapa akan juga atau karena ada telah dapat",
    ),
    (
        Lang::Epo,
        "la kaj de en estas al por kun ne ke kiu kio kiel kiam kie kial kiom el pri sur per ĝi li ŝi ili mi vi ni aŭ",
    ),
    (
        Lang::Rus,
        "и в на не с что как по для это из от к у за он она они его её их был была было были или так же кто где когда почему \
         какой какая какие сколько при до чтобы бы о также который которая которые может можно мне я вы мы ли",
    ),
    (
        Lang::Ukr,
        "і в на не з що як по для це із від до у за він вона вони його її їх був була було були або так же хто де коли чому \
         який яка які скільки при щоб б о також та й може можна мені я ви ми чи є",
    ),
    (
        Lang::Bul,
        "и в на не с че как по за това от до у той тя те го я им беше е са или така кой къде кога защо каква какъв какви \
         колко при да би също който която които може се съм ли",
    ),
    (
        Lang::Srp,
        "и у је на се да за с од су о који која које како шта ко где када зашто колико био била било или по из до није такође \
         као али то може бити не према те би са",
    ),
    (
        Lang::Bel,
        "і у на не з што як па для гэта ад да за ён яна яны яго яе іх быў была было былі або так хто дзе калі чаму які якая якія колькі пры каб таксама",
    ),
];

/// The number of languages to tell apart.
pub(super) const LANGUAGES: usize = WORDS.len();

/// Each word with the languages that have it, as bits by their place in the table.
static BY_WORD: LazyLock<HashMap<&'static str, u32, WordHashing>> = LazyLock::new(|| {
    let mut map = HashMap::with_capacity_and_hasher(2048, WordHashing::new());
    for (place, (_, words)) in WORDS.iter().enumerate() {
        for word in words.split_ascii_whitespace() {
            *map.entry(word).or_insert(0) |= 1 << place;
        }
    }
    map
});

/// The longest word of the table in bytes, Cyrillic ones included.
const LONGEST: usize = 24;

/// Whether a lower-case word is a small word of a language.
pub(in crate::base::text) fn is_function_word(word: &str, lang: Lang) -> bool {
    let place = WORDS.iter().position(|(known, _)| *known == lang);
    place.is_some_and(|place| BY_WORD.get(word).is_some_and(|bits| bits >> place & 1 == 1))
}

/// Whether a lower-case word is a small word of any language.
pub fn is_small_word(word: &str) -> bool {
    BY_WORD.contains_key(word)
}

/// The evidence of a text's small words for each language.
#[derive(Clone, Debug)]
pub(super) struct Evidence {
    words: usize,
    hits: [u16; LANGUAGES],
    scores: [f32; LANGUAGES],
}

impl Evidence {
    /// Counts the words of `text`.
    pub(super) fn of(text: &str) -> Self {
        let mut found = Evidence { words: 0, hits: [0; LANGUAGES], scores: [0.0; LANGUAGES] };
        let mut lower = String::new();
        let mut start = 0;
        for piece in text.split_inclusive(|character: char| !character.is_alphabetic()) {
            let word = piece.trim_end_matches(|character: char| !character.is_alphabetic());
            let range = start..start + word.len();
            start += piece.len();
            if word.is_empty() {
                continue;
            }
            found.words += 1;
            if word.len() > LONGEST || word.len() == 1 && !stands_as_word(text, range) {
                continue;
            }
            lower.clear();
            if word.is_ascii() {
                lower.push_str(word);
                lower.make_ascii_lowercase();
            } else {
                lower.extend(word.chars().flat_map(char::to_lowercase));
            }
            let mut bits = BY_WORD.get(lower.as_str()).copied().unwrap_or(0);
            // The fewer languages have a word, the more it tells.
            let weight = (1.0 + LANGUAGES as f32 / bits.count_ones() as f32).ln();
            while bits != 0 {
                let place = bits.trailing_zeros() as usize;
                found.hits[place] = found.hits[place].saturating_add(1);
                found.scores[place] += weight;
                bits &= bits - 1;
            }
        }
        found
    }

    /// The number of a language's small words in the text, and their score: some 3 for each word that no other language
    /// has.
    pub(super) fn of_language(&self, lang: Lang) -> (usize, f32) {
        let place = WORDS.iter().position(|(known, _)| *known == lang);
        place.map_or((0, 0.0), |place| (usize::from(self.hits[place]), self.scores[place]))
    }

    /// The languages with any of their words in the text.
    pub(super) fn languages(&self) -> impl Iterator<Item = Lang> + '_ {
        WORDS.iter().zip(self.hits).filter(|(_, hits)| *hits > 0).map(|((lang, _), _)| *lang)
    }

    /// Whether a language is clearly ahead of all others, by several words, however small their share of the text is.
    pub(super) fn is_led_by(&self, lang: Lang) -> bool {
        let (words, score) = self.of_language(lang);
        let mut others = WORDS.iter().zip(self.scores).filter(|((other, _), _)| *other != lang);
        words >= SEVERAL && others.all(|(_, other)| other * CLEAR <= score)
    }

    /// The candidate languages, best first: none if too few of the words are small words, only one if it clearly leads.
    pub(super) fn leaders(&self) -> Vec<Lang> {
        let mut places: Vec<usize> = (0..LANGUAGES).collect();
        places.sort_by(|&a, &b| self.scores[b].total_cmp(&self.scores[a]).then(a.cmp(&b)));
        let best = places[0];
        let enough = if self.words < 12 { 2 } else { 3 };
        if usize::from(self.hits[best]) < enough || usize::from(self.hits[best]) * 10 < self.words {
            return Vec::new();
        }
        let near = |place: &usize| self.scores[*place] * CLEAR > self.scores[best];
        places.into_iter().take_while(near).map(|place| WORDS[place].0).collect()
    }
}

/// Whether a single letter is a word, such as "y", or one that has lost its end, such as "l'". A letter beside a slash,
/// a point or a bracket is an abbreviation or a label: "n/a" is not French.
fn stands_as_word(text: &str, letter: Range<usize>) -> bool {
    let before = text[..letter.start].chars().next_back();
    let after = text[letter.end..].chars().next();
    before.is_none_or(|one| !matches!(one, '/' | '.' | '(' | '[' | '&' | '-') && !one.is_numeric())
        && after.is_none_or(|one| !matches!(one, '/' | '.' | ')' | ']' | '&' | '-') && !one.is_numeric())
}

const SEVERAL: usize = 4;

/// The factor by which the best language must be ahead.
const CLEAR: f32 = 1.25;
