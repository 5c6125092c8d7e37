//! Names of months, as used in dates.

use super::is_listed;

/// The first three letters of these are names too.
const ENGLISH: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

const GERMAN: &str = "januar februar märz april mai juni juli august september oktober november dezember";

/// The names in other languages, from January to December, in the form used in dates.
const OTHERS: [&str; 23] = [
    GERMAN,
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
    "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",
    "januari februari mars april maj juni juli augusti september oktober november december",
    "januar februar marts april maj juni juli august september oktober november december",
    "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
    "ledna února března dubna května června července srpna září října listopadu prosince",
    "január február március április május június július augusztus szeptember október november december",
    "januari februari maret april mei juni juli agustus september oktober november desember",
    "ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου",
    "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
    "يناير فبراير مارس ابريل مايو يونيه يوليه اغسطس سبتمبر اكتوبر نوفمبر ديسمبر",
    // The names of the Levant, without the months whose names have two words.
    "- شباط آذار نيسان أيار حزيران تموز آب أيلول - - -",
    "जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर",
    "जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितम्बर अक्तूबर नवम्बर दिसम्बर",
    "มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม",
];

/// The years that count as Buddhist era, which Thai dates use, and how far they are ahead.
const BUDDHIST: std::ops::RangeInclusive<i16> = 2400..=2700;
const BUDDHIST_ERA_OFFSET: i16 = 543;

/// The common year for a year that may be one of the Buddhist era.
pub fn common_year(year: i16) -> i16 {
    if BUDDHIST.contains(&year) { year - BUDDHIST_ERA_OFFSET } else { year }
}

/// The number of a month, from 1, by its name in any case or its English short form.
pub fn month_number(name: &str) -> Option<i16> {
    let name = name.to_lowercase();
    let full = || ENGLISH.iter().position(|month| *month == name);
    let short = || ENGLISH.iter().position(|month| month[..3] == *name || (name == "sept" && *month == "september"));
    let other = || OTHERS.iter().find_map(|names| names.split(' ').position(|month| month == name));
    full().or_else(short).or_else(other).and_then(|index| i16::try_from(index + 1).ok())
}

/// Whether a word in lower case is an English month.
pub fn is_english_month(word: &str) -> bool {
    ENGLISH.contains(&word)
}

/// Whether a word in lower case is a German month.
pub(super) fn is_german_month(word: &str) -> bool {
    word == "jänner" || is_listed(GERMAN, word)
}
