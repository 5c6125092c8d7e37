//! The meaning of LaTeX's commands and environments.

/// The effect of an environment on the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Environment {
    /// A block of its own.
    Block,
    /// Part of the running text, as in a cell.
    Inline,
    List,
    Table,
    /// Kept as it is written, with its lines.
    Verbatim,
    /// Kept as it is written.
    Maths,
    /// Left out.
    Nothing,
}

pub(super) fn environment(name: &str) -> Environment {
    match name.trim_end_matches('*') {
        "itemize" | "enumerate" | "description" | "compactitem" | "compactenum" | "thebibliography" => {
            Environment::List
        }
        "tabular" | "tabularx" | "tabulary" | "longtable" | "tblr" | "supertabular" => Environment::Table,
        "verbatim" | "Verbatim" | "lstlisting" | "minted" | "alltt" | "Highlighting" => Environment::Verbatim,
        "equation" | "align" | "gather" | "multline" | "eqnarray" | "displaymath" | "math" | "flalign" | "alignat" => {
            Environment::Maths
        }
        "tikzpicture" | "picture" | "comment" | "filecontents" | "pspicture" => Environment::Nothing,
        "minipage" => Environment::Inline,
        _ => Environment::Block,
    }
}

/// How many arguments of an environment are not words of the text.
pub(super) fn environment_arguments(name: &str) -> usize {
    match name {
        // The width precedes the columns.
        "tabular*" | "tabularx" | "tabulary" | "wrapfigure" | "wraptable" | "adjustwidth" | "adjustwidth*" => 2,
        "minipage" | "thebibliography" | "subfigure" | "subtable" | "multicols" | "multicols*" | "column"
        | "adjustbox" | "otherlanguage" | "spacing" => 1,
        _ => usize::from(environment(name) == Environment::Table),
    }
}

/// The level of a heading command. If there are chapters, sections are one level lower.
pub(super) fn level(name: &str, has_chapters: bool) -> Option<u8> {
    let below = u8::from(has_chapters);
    match name {
        "part" | "chapter" => Some(1),
        "section" => Some(1 + below),
        "subsection" => Some(2 + below),
        "subsubsection" => Some(3 + below),
        "paragraph" => Some(4 + below),
        "subparagraph" => Some(5 + below),
        _ => None,
    }
}

/// How many arguments of a command are not words of the text.
pub(super) fn arguments_left_out(name: &str) -> usize {
    match name {
        "documentclass"
        | "usepackage"
        | "RequirePackage"
        | "label"
        | "includegraphics"
        | "input"
        | "include"
        | "includeonly"
        | "vspace"
        | "hspace"
        | "bibliographystyle"
        | "bibliography"
        | "addbibresource"
        | "index"
        | "pagestyle"
        | "thispagestyle"
        | "pagenumbering"
        | "geometry"
        | "hypersetup"
        | "color"
        | "hypertarget"
        | "href"
        | "graphicspath"
        | "theoremstyle"
        | "cline"
        | "noalign"
        | "selectlanguage"
        | "usetheme"
        | "phantom"
        | "hphantom"
        | "vphantom"
        | "lstset"
        | "captionsetup"
        | "PassOptionsToPackage"
        | "IfFileExists"
        | "ifthenelse"
        | "urlstyle"
        | "setmainfont"
        | "setsansfont"
        | "setmonofont"
        | "usetikzlibrary"
        | "nocite"
        | "hyperlink"
        | "foreignlanguage"
        | "textcolor"
        | "colorbox"
        | "parbox"
        | "raisebox"
        | "rotatebox"
        | "setstretch"
        | "rowcolor"
        | "columncolor"
        | "cellcolor"
        | "enlargethispage"
        | "AtBeginDocument"
        | "newlength"
        | "glsdisp"
        | "scalebox" => 1,
        "setlength"
        | "addtolength"
        | "setcounter"
        | "addtocounter"
        | "newtheorem"
        | "multicolumn"
        | "rule"
        | "resizebox"
        | "fcolorbox"
        | "fontsize"
        | "multirow"
        | "titleformat"
        | "pdfbookmark"
        | "DeclareMathOperator"
        | "DeclareUnicodeCharacter" => 2,
        "definecolor" | "addcontentsline" | "specialrule" | "crefname" | "Crefname" => 3,
        _ => 0,
    }
}

/// The mark that a command puts on the next letter.
pub(super) fn combining(name: &str) -> Option<char> {
    Some(match name {
        "`" => '\u{300}',
        "'" => '\u{301}',
        "^" => '\u{302}',
        "~" => '\u{303}',
        "=" => '\u{304}',
        "u" => '\u{306}',
        "." => '\u{307}',
        "\"" => '\u{308}',
        "r" => '\u{30a}',
        "H" => '\u{30b}',
        "v" => '\u{30c}',
        "d" => '\u{323}',
        "c" => '\u{327}',
        "k" => '\u{328}',
        "b" => '\u{331}',
        _ => return None,
    })
}

/// The words or the sign that a command stands for.
pub(super) fn symbol(name: &str) -> Option<&'static str> {
    Some(match name {
        "ss" => "ß",
        "ae" => "æ",
        "AE" => "Æ",
        "oe" => "œ",
        "OE" => "Œ",
        "o" => "ø",
        "O" => "Ø",
        "aa" => "å",
        "AA" => "Å",
        "l" => "ł",
        "L" => "Ł",
        "i" => "ı",
        "j" => "ȷ",
        "dh" => "ð",
        "DH" => "Ð",
        "th" => "þ",
        "TH" => "Þ",
        "dj" => "đ",
        "DJ" => "Đ",
        "S" | "textsection" => "§",
        "P" | "textparagraph" => "¶",
        "copyright" | "textcopyright" => "©",
        "textregistered" => "®",
        "texttrademark" => "™",
        "pounds" | "textsterling" => "£",
        "euro" | "texteuro" => "€",
        "textyen" => "¥",
        "textcent" => "¢",
        "dag" | "textdagger" => "†",
        "ddag" | "textdaggerdbl" => "‡",
        "ldots" | "dots" | "textellipsis" => "…",
        "textendash" => "–",
        "textemdash" => "—",
        "textquoteleft" | "lq" => "‘",
        "textquoteright" | "rq" => "’",
        "textquotedblleft" => "“",
        "textquotedblright" => "”",
        "textquotesingle" => "'",
        "textquotedbl" => "\"",
        "quotedblbase" | "glqq" => "„",
        "quotesinglbase" | "glq" => "‚",
        "grqq" => "“",
        "guillemotleft" | "guillemetleft" | "flqq" => "«",
        "guillemotright" | "guillemetright" | "frqq" => "»",
        "textexclamdown" => "¡",
        "textquestiondown" => "¿",
        "textdegree" | "degree" => "°",
        "textmu" => "µ",
        "texttimes" => "×",
        "textpm" => "±",
        "textrightarrow" => "→",
        "textleftarrow" => "←",
        "textbullet" => "•",
        "textbackslash" => "\\",
        "textasciitilde" => "~",
        "textasciicircum" => "^",
        "textasciigrave" => "`",
        "textbar" => "|",
        "textless" => "<",
        "textgreater" => ">",
        "textbraceleft" => "{",
        "textbraceright" => "}",
        "textunderscore" => "_",
        "textdollar" => "$",
        "LaTeX" => "LaTeX",
        "TeX" => "TeX",
        "BibTeX" => "BibTeX",
        "quad" | "qquad" | "space" | "enspace" | "thinspace" => " ",
        "nobreakspace" => "\u{a0}",
        _ => return None,
    })
}
