use super::svg::{escape, svg};
use super::{Picture, day};

const STYLE: &str = "body{font:15px/1.45 system-ui,'Segoe UI',sans-serif;margin:1.5rem auto;max-width:1080px;padding:0 1rem;\
background:#fff;color:#1c2733}svg{width:100%;height:auto}table{border-collapse:collapse;width:100%;font-size:14px}\
td,th{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-bottom:1px solid #e3e8ee}\
td.n{text-align:right;font-variant-numeric:tabular-nums}.stale td{color:#b4521e}td.d{white-space:nowrap}\
@media(prefers-color-scheme:dark){body{background:#11161c;color:#e4ebf2}td,th{border-color:#26303b}.stale td{color:#f0955c}}";

/// Returns the timeline as a self-contained page: the picture, and a table of all events, the newest first.
pub fn html(picture: &Picture<'_>) -> String {
    let mut rows = String::new();
    for event in picture.events.iter().rev() {
        let recalled = event.recalls.last().map_or_else(String::new, |last| {
            let times = if event.recalls.len() == 1 { "once" } else { "times" };
            let count = if event.recalls.len() == 1 { String::new() } else { format!("{} ", event.recalls.len()) };
            format!("{count}{times}, last {}", day(last.at))
        });
        let sources: Vec<String> =
            event.citations.iter().map(|citation| escape(&format!("{} ({})", citation.title, citation.path))).collect();
        let class = if event.stale.is_some() { " class=\"stale\"" } else { "" };
        let state = event.stale.map_or_else(String::new, |since| format!(" (stale since {})", day(since)));
        rows.push_str(&format!(
            "<tr{class}><td class=\"n\">{}</td><td class=\"d\">{}</td><td>{}{state}</td><td>{}</td><td>{}</td><td>{recalled}</td><td class=\"n\">{:.2}</td></tr>\n",
            event.id,
            day(event.made),
            event.kind,
            escape(&event.text),
            sources.join("<br>"),
            picture.presence(event),
        ));
    }
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>Timeline</title><style>{STYLE}</style></head>\n<body>\n{}\
         <details><summary>All {} events</summary>\n<table><thead><tr><th>No.</th><th>Made</th><th>Kind</th><th>What</th>\
         <th>Rests on</th><th>Recalled</th><th>Weight</th></tr></thead>\n<tbody>\n{rows}</tbody></table></details>\n</body></html>\n",
        svg(picture),
        picture.events.len()
    )
}
