"""The reader: the encoder's layers over question and passage together, and two heads."""
import torch
import torch.nn.functional as F
from torch import nn

HIDDEN, HEADS, LAYERS, INNER, POSITIONS = 384, 12, 6, 1536, 512


class Layer(nn.Module):
    """One layer of BERT; query, key and value are one matrix."""

    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(HIDDEN, 3 * HIDDEN), nn.Linear(HIDDEN, HIDDEN)
        self.up, self.down = nn.Linear(HIDDEN, INNER), nn.Linear(INNER, HIDDEN)
        self.norm1, self.norm2 = nn.LayerNorm(HIDDEN, eps=1e-12), nn.LayerNorm(HIDDEN, eps=1e-12)

    def forward(self, x, bias, drop):
        batch, length = x.shape[0], x.shape[1]
        # Separate slices, and not one permutation of five dimensions: the exported graph is plainer.
        q, k, v = (part.view(batch, length, HEADS, HIDDEN // HEADS).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        if torch.onnx.is_in_onnx_export():
            weights = torch.softmax(q @ k.transpose(-1, -2) * (HIDDEN // HEADS) ** -0.5 + bias, -1)
            mixed = weights @ v
        else:
            mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        mixed = self.out(mixed.transpose(1, 2).reshape(batch, length, HIDDEN))
        x = self.norm1(x + F.dropout(mixed, drop, self.training))
        return self.norm2(x + F.dropout(self.down(F.gelu(self.up(x))), drop, self.training))


class Reader(nn.Module):
    """Vectors of words in, logits out: start and end of the answer by position, and whether the passage answers at all.

    The table of words is not the reader's: it is the encoder's, which stays as it is."""

    def __init__(self, drop=0.0):
        super().__init__()
        self.drop = drop
        self.positions, self.types = nn.Embedding(POSITIONS, HIDDEN), nn.Embedding(2, HIDDEN)
        self.norm = nn.LayerNorm(HIDDEN, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.span, self.dense, self.answerable = nn.Linear(HIDDEN, 2), nn.Linear(HIDDEN, HIDDEN), nn.Linear(HIDDEN, 1)
        for head in (self.span, self.dense, self.answerable):
            nn.init.normal_(head.weight, std=0.02)
            nn.init.zeros_(head.bias)

    def states(self, word_vectors, attention_mask, token_type_ids):
        """The last layer's states."""
        x = word_vectors + self.positions.weight[: word_vectors.shape[1]] + self.types(token_type_ids)
        x = F.dropout(self.norm(x), self.drop, self.training)
        bias = ((1 - attention_mask) * -30000.0).to(x.dtype)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, bias, self.drop)
        return x

    def forward(self, word_vectors, attention_mask, token_type_ids):
        x = self.states(word_vectors, attention_mask, token_type_ids)
        return self.span(x), self.answerable(torch.tanh(self.dense(x[:, 0]))).squeeze(-1)

    def start_from(self, base):
        """Takes the encoder's float weights, by their names in its `model.safetensors`; the heads keep their random start."""
        base = {name.removeprefix("bert."): torch.as_tensor(value).float() for name, value in base.items()}
        state = self.state_dict()

        def put(ours, theirs):
            for kind in ("weight", "bias"):
                if f"{theirs}.{kind}" in base:
                    state[f"{ours}.{kind}"].copy_(base[f"{theirs}.{kind}"])

        put("positions", "embeddings.position_embeddings")
        put("types", "embeddings.token_type_embeddings")
        put("norm", "embeddings.LayerNorm")
        for i in range(LAYERS):
            ours, theirs = f"layers.{i}", f"encoder.layer.{i}"
            for kind in ("weight", "bias"):
                parts = [base[f"{theirs}.attention.self.{name}.{kind}"] for name in ("query", "key", "value")]
                state[f"{ours}.qkv.{kind}"].copy_(torch.cat(parts))
            put(f"{ours}.out", f"{theirs}.attention.output.dense")
            put(f"{ours}.norm1", f"{theirs}.attention.output.LayerNorm")
            put(f"{ours}.up", f"{theirs}.intermediate.dense")
            put(f"{ours}.down", f"{theirs}.output.dense")
            put(f"{ours}.norm2", f"{theirs}.output.LayerNorm")
        self.load_state_dict(state)
