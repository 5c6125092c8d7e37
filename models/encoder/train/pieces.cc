// Pieces of runs of kana and ideographs, with their probabilities: pieces RUNS.txt HEADS.txt COUNT OUT.tsv
//
// A unigram model by hard expectation maximization: every run is cut into its likeliest pieces, pieces are counted, the least useful
// ones go, until COUNT pieces of more than one character are left. Single characters stay.
// RUNS.txt: a run, a tab, how often. HEADS.txt: a word of the dictionary, a tab, 1 if it is a usual one.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <string>
#include <unordered_map>
#include <vector>

using Text = std::u32string;
constexpr size_t LONGEST = 7;
constexpr double UNSEEN = -20;

Text decoded(const std::string &bytes) {
    Text text;
    for (size_t i = 0; i < bytes.size();) {
        unsigned char first = bytes[i];
        int length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
        char32_t value = length == 1 ? first : first & (0xff >> (length + 1));
        for (int k = 1; k < length; k++) value = value << 6 | (bytes[i + k] & 63);
        text += value;
        i += length;
    }
    return text;
}

std::string encoded(const Text &text) {
    std::string bytes;
    for (char32_t c : text) {
        if (c < 0x80) {
            bytes += char(c);
        } else if (c < 0x800) {
            bytes += {char(0xc0 | c >> 6), char(0x80 | (c & 63))};
        } else if (c < 0x10000) {
            bytes += {char(0xe0 | c >> 12), char(0x80 | (c >> 6 & 63)), char(0x80 | (c & 63))};
        } else {
            bytes += {char(0xf0 | c >> 18), char(0x80 | (c >> 12 & 63)), char(0x80 | (c >> 6 & 63)), char(0x80 | (c & 63))};
        }
    }
    return bytes;
}

enum class Script { Hiragana, Katakana, Ideographs };

Script script(char32_t c) {
    if (c >= 0x3041 && c <= 0x3096) return Script::Hiragana;
    if (c >= 0x30a1 && c <= 0x30fc) return Script::Katakana;
    return Script::Ideographs;
}

// Calls `each` with the two columns of every line.
template <typename Each> void lines(const char *path, Each each) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        auto tab = line.find('\t');
        each(decoded(line.substr(0, tab)), std::stoi(line.substr(tab + 1)));
    }
}

int main(int, char **arguments) {
    std::vector<std::pair<Text, int>> runs;
    lines(arguments[1], [&](Text run, int count) { runs.push_back({run, count}); });
    std::unordered_map<Text, bool> heads;
    lines(arguments[2], [&](Text head, int) { heads[head] = true; });
    size_t wanted = std::stoul(arguments[3]);

    // Candidates: what stands in the runs. Across scripts, and beyond four characters but in katakana, only words of the dictionary.
    std::unordered_map<Text, double> seen;
    for (auto &[run, count] : runs) {
        for (size_t i = 0; i < run.size(); i++) {
            seen[run.substr(i, 1)] += count;
            bool mixed = false;
            for (size_t length = 2; length <= LONGEST && i + length <= run.size(); length++) {
                mixed = mixed || script(run[i + length - 1]) != script(run[i]);
                Text piece = run.substr(i, length);
                bool known = heads.count(piece);
                if (known || (!mixed && (length <= 4 || script(run[i]) == Script::Katakana))) seen[piece] += count;
            }
        }
    }
    std::unordered_map<Text, double> chance;
    double total = 0;
    for (auto &[piece, count] : seen) {
        bool known = heads.count(piece);
        if (piece.size() == 1 || count >= (known ? 4 : 25)) {
            double score = count * (known ? 1.0 : 0.35) * (piece.size() > 1 ? piece.size() * 0.5 : 0.3);
            chance[piece] = score;
            total += score;
        }
    }
    for (auto &entry : chance) entry.second = std::log(entry.second / total);

    for (int round = 0; round < 6; round++) {
        std::unordered_map<Text, double> used;
        double tokens = 0;
        for (auto &[run, count] : runs) {
            std::vector<double> best(run.size() + 1, -1e18);
            std::vector<size_t> step(run.size() + 1, 0);
            best[0] = 0;
            for (size_t i = 0; i < run.size(); i++) {
                for (size_t length = 1; length <= LONGEST && i + length <= run.size(); length++) {
                    auto found = chance.find(run.substr(i, length));
                    if (found == chance.end() && length > 1) continue;
                    double reached = best[i] + (found == chance.end() ? UNSEEN : found->second);
                    if (reached > best[i + length]) {
                        best[i + length] = reached;
                        step[i + length] = length;
                    }
                }
            }
            for (size_t i = run.size(); i > 0; i -= step[i]) {
                used[run.substr(i - step[i], step[i])] += count;
                tokens += count;
            }
        }
        std::vector<std::pair<double, Text>> useful;
        for (auto &[piece, count] : used) {
            if (piece.size() > 1) useful.push_back({count * (heads.count(piece) ? 1.6 : 0.8) * (piece.size() - 0.5), piece});
        }
        std::sort(useful.rbegin(), useful.rend());
        size_t keep = round < 4 ? std::max(wanted, size_t(useful.size() * (round < 1 ? 0.8 : 0.6))) : wanted;
        useful.resize(std::min(useful.size(), keep));
        std::unordered_map<Text, double> next;
        for (auto &entry : useful) next[entry.second] = std::log((used[entry.second] + 0.5) / tokens);
        for (auto &[piece, count] : seen) {
            if (piece.size() == 1 && count >= 2) next[piece] = std::log((used[piece] + 0.5) / tokens);
        }
        chance.swap(next);
        std::cerr << "round " << round << ": " << chance.size() << " pieces, " << tokens << " tokens\n";
    }
    std::vector<std::pair<double, Text>> sorted;
    for (auto &entry : chance) sorted.push_back({entry.second, entry.first});
    std::sort(sorted.rbegin(), sorted.rend());
    std::ofstream out(arguments[4]);
    for (auto &[value, piece] : sorted) out << encoded(piece) << '\t' << value << '\n';
}
