/// Words in small letters between the given names of somebody and the family's.
pub const NAME_PARTICLES: [&str; 16] =
    ["al", "bin", "da", "de", "del", "den", "der", "di", "dos", "du", "la", "le", "ten", "ter", "van", "von"];
