/// Lower-case words between the given names and the family name of a person.
pub const NAME_PARTICLES: [&str; 16] =
    ["al", "bin", "da", "de", "del", "den", "der", "di", "dos", "du", "la", "le", "ten", "ter", "van", "von"];
