//! tmp
mod model;
mod tokenizer;
/// tmp
pub fn dump(texts: &[String]) -> Vec<(Vec<i32>, Vec<f32>)> {
    let t = std::time::Instant::now();
    let e = model::Encoder::load().ok().unwrap();
    eprintln!("load {:?}", t.elapsed());
    let t = std::time::Instant::now();
    let r = e.encode_all(texts, |x| (x.ids, x.states)).ok().unwrap();
    eprintln!("encode {} in {:?}", texts.len(), t.elapsed());
    r
}
