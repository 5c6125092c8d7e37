// IBM model 1: which English tokens stand beside which pieces: ibm1 PAIRS.bin PIECES ENGLISH ROUNDS OUT.txt
//
// PAIRS.bin: the number of pairs, then for each its weight, its pieces and its English tokens, both with their number before them
// (32 bits each). OUT.txt: a line for each piece, with at most twelve English tokens as token:probability, the likeliest first.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>
#include <unordered_map>
#include <vector>

struct Pair {
    float weight;
    std::vector<int> pieces, english;
};

template <typename T> T number(std::ifstream &file) {
    T value;
    file.read(reinterpret_cast<char *>(&value), sizeof value);
    return value;
}

std::vector<int> numbers(std::ifstream &file) {
    std::vector<int> values(number<int>(file));
    for (int &value : values) value = number<int>(file);
    return values;
}

int main(int, char **arguments) {
    std::ifstream file(arguments[1], std::ios::binary);
    // One piece more than there are: what English tokens come from that stand for nothing.
    int pieces = std::stoi(arguments[2]), rounds = std::stoi(arguments[4]);
    std::vector<Pair> pairs(number<int>(file));
    for (Pair &pair : pairs) {
        pair.weight = number<float>(file);
        pair.pieces = numbers(file);
        pair.english = numbers(file);
        pair.pieces.push_back(pieces);
    }
    std::vector<std::unordered_map<int, float>> chance(pieces + 1);
    for (int round = 0; round < rounds; round++) {
        auto probability = [&](int piece, int english) -> double {
            if (round == 0) return 1;
            auto found = chance[piece].find(english);
            return found == chance[piece].end() ? 0 : found->second;
        };
        std::vector<std::unordered_map<int, float>> count(pieces + 1);
        for (const Pair &pair : pairs) {
            for (int english : pair.english) {
                double all = 0;
                for (int piece : pair.pieces) all += probability(piece, english);
                if (all <= 0) continue;
                for (int piece : pair.pieces) {
                    double share = probability(piece, english) / all;
                    if (share > 1e-4) count[piece][english] += pair.weight * share;
                }
            }
        }
        for (int piece = 0; piece <= pieces; piece++) {
            double all = 0;
            for (auto &entry : count[piece]) all += entry.second;
            chance[piece].clear();
            for (auto &entry : count[piece]) {
                if (entry.second / all > 1e-3) chance[piece][entry.first] = entry.second / all;
            }
        }
        std::cerr << "round " << round << '\n';
    }
    std::ofstream out(arguments[5]);
    for (int piece = 0; piece <= pieces; piece++) {
        std::vector<std::pair<float, int>> best;
        for (auto &entry : chance[piece]) {
            if (entry.second > 0.01) best.push_back({entry.second, entry.first});
        }
        std::sort(best.rbegin(), best.rend());
        best.resize(std::min<size_t>(best.size(), 12));
        out << piece;
        for (auto &entry : best) out << ' ' << entry.second << ':' << entry.first;
        out << '\n';
    }
}
