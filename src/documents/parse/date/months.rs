//! Names of months, as dates have them.

/// English first: of these the first three letters are names too.
const MONTHS: [&str; 12] = [
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

/// The names of other languages, from January to December, in the form that a date has.
const OTHERS: [&str; 12] = [
    "januar februar märz april mai juni juli august september oktober november dezember",
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
];

/// The number of a month, from 1, by its name or its English short form.
pub(super) fn number(name: &str) -> Option<i16> {
    let name = name.to_lowercase();
    let full = || MONTHS.iter().position(|month| *month == name);
    let short = || MONTHS.iter().position(|month| month[..3] == *name || (name == "sept" && *month == "september"));
    let other = || OTHERS.iter().find_map(|names| names.split(' ').position(|month| month == name));
    full().or_else(short).or_else(other).and_then(|index| i16::try_from(index + 1).ok())
}
