//! PDFs: streams that unpack to gigabytes, parts that call each other, trees with cycles.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

const MIB: usize = 1 << 20;

/// Zlib data of `mib` MiB of a repeated filling, made without holding all of it in memory.
fn zeros(mib: usize, filling: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let block = filling.repeat(MIB / filling.len());
    (0..mib).for_each(|_| encoder.write_all(&block).unwrap());
    encoder.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn stream(entries: &str, content: &[u8]) -> Vec<u8> {
    let head = format!("<< {entries} /Length {} >>\nstream\n", content.len());
    [head.as_bytes(), content, b"\nendstream"].concat()
}

/// A file of these objects, numbered from 1; the first is the catalog.
fn file(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n".to_vec();
    let mut places = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        places.push(out.len());
        out.extend_from_slice(format!("{} 0 obj\n", index + 1).as_bytes());
        out.extend_from_slice(object);
        out.extend_from_slice(b"\nendobj\n");
    }
    let start = out.len();
    out.extend_from_slice(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).as_bytes());
    places.iter().for_each(|place| out.extend_from_slice(format!("{place:010} 00000 n \n").as_bytes()));
    let end = format!("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n", objects.len() + 1);
    out.extend_from_slice(end.as_bytes());
    out
}

/// A file of one page with this content, and more objects from number 6 on.
fn page(resources: &str, content: Vec<u8>, more: Vec<Vec<u8>>) -> Vec<u8> {
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        format!("<< /Type /Page /Parent 2 0 R /Resources << /Font << /F 5 0 R >> {resources} >> /Contents 4 0 R >>")
            .into_bytes(),
        content,
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_vec(),
    ];
    objects.extend(more);
    file(&objects)
}

/// A page whose content is packed with `filters`.
fn content(filters: &str, packed: &[u8]) -> Vec<u8> {
    page("", stream(&format!("/Filter [{filters}]"), packed), Vec::new())
}

const WORDS: &[u8] = b"BT /F 9 Tf (a) Tj ET\n";

/// A chain of `deep` forms, each of which calls the next `times` times.
fn forms(deep: usize, times: usize) -> Vec<u8> {
    let form = |level: usize| {
        let next = 6 + level + 1;
        let (resources, calls) = match level + 1 < deep {
            true => (format!("/Resources << /XObject << /X {next} 0 R >> >>"), "/X Do ".repeat(times)),
            false => ("/Resources << >>".to_owned(), "0 0 m".to_owned()),
        };
        stream(&format!("/Type /XObject /Subtype /Form /BBox [0 0 9 9] {resources}"), calls.as_bytes())
    };
    page("/XObject << /X 6 0 R >>", stream("", b"/X Do"), (0..deep).map(form).collect())
}

/// A file whose cross-reference table is this stream.
fn table(entries: &str, packed: &[u8]) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n".to_vec();
    let start = out.len();
    out.extend_from_slice(b"9 0 obj\n");
    out.extend_from_slice(&stream(&format!("/Type /XRef /Root 1 0 R {entries}"), packed));
    out.extend_from_slice(format!("\nendobj\nstartxref\n{start}\n%%EOF\n").as_bytes());
    out
}

/// A file with a stream of objects.
fn object_stream(entries: &str, packed: &[u8]) -> Vec<u8> {
    page("", stream("", WORDS), vec![stream(&format!("/Type /ObjStm {entries}"), packed)])
}

/// The files that are quick to make and quickly refused.
pub fn quick() -> Vec<(&'static str, Vec<u8>)> {
    let rows: Vec<u8> = (0..2000).flat_map(|id: u32| format!("{id} 0 ").into_bytes()).collect();
    let catalog = || b"<< /Type /Catalog /Pages 2 0 R >>".to_vec();
    vec![
        ("forms-in-a-circle.pdf", {
            let form = |next: usize| {
                let entries = format!("/Type /XObject /Subtype /Form /Resources << /XObject << /X {next} 0 R >> >>");
                stream(&entries, b"/X Do /X Do")
            };
            page("/XObject << /X 6 0 R >>", stream("", b"/X Do"), vec![form(7), form(6)])
        }),
        (
            "pages-in-a-circle.pdf",
            file(&[
                catalog(),
                b"<< /Type /Pages /Parent 3 0 R /Kids [3 0 R 3 0 R] /Count 2 >>".to_vec(),
                b"<< /Type /Pages /Parent 2 0 R /Kids [2 0 R 2 0 R] /Count 2 >>".to_vec(),
            ]),
        ),
        ("object-stream-overlapping.pdf", {
            let objects = [&rows[..], b"[", &b"0 ".repeat(MIB), b"]"].concat();
            let entries = format!("/N 2000 /First {} /Filter /FlateDecode", rows.len());
            object_stream(&entries, &zlib(&objects))
        }),
        ("flate-of-zeros.pdf", content("/FlateDecode", &zeros(400, b"\0"))),
        ("table-of-nothing.pdf", table("/Size 4000000000 /Index [0 4000000000] /W [0 0 0]", b"")),
    ]
}

/// All files; making them takes a minute.
pub fn files() -> Vec<(&'static str, Vec<u8>)> {
    let mut files = quick();
    let hex: Vec<u8> = zeros(200, b"q ").iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect();
    let catalog = || b"<< /Type /Catalog /Pages 2 0 R >>".to_vec();
    let deep_array = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
    let deep_dictionary = [b"<< /A ".repeat(50_000), b">>".repeat(50_000)].concat();
    files.extend([
        ("flate.pdf", content("/FlateDecode", &zeros(1024, b"\0"))),
        ("flate-of-flate.pdf", content("/FlateDecode /FlateDecode", &zlib(&zeros(4096, b"\0")))),
        ("flate-three-times.pdf", content("/FlateDecode /FlateDecode /FlateDecode", &zlib(&zlib(&zeros(4096, b"\0"))))),
        ("flate-of-words.pdf", content("/FlateDecode", &zeros(256, WORDS))),
        (
            "flate-of-one-string.pdf",
            content("/FlateDecode", &zlib(&[&b"BT /F 9 Tf ("[..], &b"a".repeat(64 * MIB), b") Tj ET"].concat())),
        ),
        ("flate-of-numbers.pdf", content("/FlateDecode", &zeros(128, b"1 "))),
        ("flate-of-arrays.pdf", content("/FlateDecode", &zeros(64, b"["))),
        ("flate-in-hex.pdf", content("/ASCIIHexDecode /FlateDecode", &hex)),
        ("many-contents.pdf", {
            let contents = "6 0 R ".repeat(20_000);
            file(&[
                catalog(),
                b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
                format!("<< /Type /Page /Parent 2 0 R /Contents [{contents}] >>").into_bytes(),
                b"null".to_vec(),
                b"null".to_vec(),
                stream("/Filter /FlateDecode", &zeros(1, b"q Q ")),
            ])
        }),
        ("one-page-many-times.pdf", {
            file(&[
                catalog(),
                format!("<< /Type /Pages /Kids [{}] /Count 50000 >>", "3 0 R ".repeat(50_000)).into_bytes(),
                b"<< /Type /Page /Parent 2 0 R /Resources << /Font << /F 5 0 R >> >> /Contents 4 0 R >>".to_vec(),
                stream("/Filter /FlateDecode", &zeros(1, WORDS)),
                b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_vec(),
            ])
        }),
        ("forms-twenty-deep.pdf", forms(20, 10)),
        ("forms-two-thousand-deep.pdf", forms(2000, 1)),
        ("form-of-gigabytes.pdf", {
            let form = stream("/Subtype /Form /Filter /FlateDecode", &zeros(1024, b"q "));
            page("/XObject << /X 6 0 R >>", stream("", b"/X Do"), vec![form])
        }),
        ("pages-doubling.pdf", {
            let mut objects = vec![catalog()];
            for level in 0..40 {
                objects.push(format!("<< /Type /Pages /Kids [{0} 0 R {0} 0 R] /Count 2 >>", level + 3).into_bytes());
            }
            objects.push(b"<< /Type /Page /Parent 41 0 R >>".to_vec());
            file(&objects)
        }),
        ("object-stream.pdf", object_stream("/N 1 /First 4 /Filter /FlateDecode", &zeros(2048, b"\0"))),
        ("object-stream-twice.pdf", {
            object_stream("/N 1 /First 4 /Filter [/FlateDecode /FlateDecode]", &zlib(&zeros(4096, b" ")))
        }),
        ("table-of-gigabytes.pdf", table("/Size 9 /W [1 4 2] /Filter /FlateDecode", &zeros(2048, b"\0"))),
        (
            "table-of-entries.pdf",
            table("/Size 99999999 /W [1 4 2] /Filter /FlateDecode", &zeros(300, b"\x01\0\0\0\x09\0\0")),
        ),
        ("table-in-a-circle.pdf", {
            let text = "%PDF-1.4\n1 0 obj\n<< >>\nendobj\nxref\n0 1\n0000000000 65535 f \ntrailer\n<< /Size 1 /Root 1 0 R \
                        /Prev 30 >>\nstartxref\n30\n%%EOF\n";
            text.as_bytes().to_vec()
        }),
        ("predictor.pdf", {
            page(
                "",
                stream("/Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 2000000000 >>", &zeros(64, b"\0")),
                vec![],
            )
        }),
        ("arrays-nested.pdf", page("", stream("", WORDS), vec![deep_array])),
        ("dictionaries-nested.pdf", page("", stream("", WORDS), vec![deep_dictionary])),
        ("characters-of-gigabytes.pdf", {
            let font = b"<< /Type /Font /Subtype /Type1 /BaseFont /X /ToUnicode 7 0 R >>".to_vec();
            let map = stream("/Filter /FlateDecode", &zeros(512, b"<00> <ffff> <0041>\n"));
            page("/Font << /F 6 0 R >>", stream("", WORDS), vec![font, map])
        }),
        ("character-range.pdf", {
            let font = b"<< /Type /Font /Subtype /Type1 /BaseFont /X /ToUnicode 7 0 R >>".to_vec();
            let map =
                b"begincmap 1 begincodespacerange <00000000> <ffffffff> endcodespacerange 1 beginbfrange <00000000> \
                        <ffffffff> <0041> endbfrange endcmap";
            page("/Font << /F 6 0 R >>", stream("", WORDS), vec![font, stream("", map)])
        }),
    ]);
    files
}
