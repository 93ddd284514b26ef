"""The generator of masks follows its definition, and masks follow the generator."""

import numpy as np
import pytest

from fastgat import _core

WORD = 2**32
ROTATION = [(10, 26), (11, 21), (13, 27), (23, 5), (6, 20), (17, 11), (25, 10), (18, 20)]
ROTATION2 = [13, 15, 26, 6, 17, 29, 16, 24]
FEATURE_MASK, DENSE_MASK = 0x6665617475726573, 0x64656E73
SEED = 0x1234_5678_9ABC_DEF1


def threefry(counter: list[int], seed: int, rounds: int) -> list[int]:
    """Threefry-4x32 of Salmon et al. (2011), word by word."""
    key = [seed % WORD, seed // WORD, 0, 0]
    key.append(0x1BD11BDA ^ key[0] ^ key[1])
    x = [(c + k) % WORD for c, k in zip(counter, key, strict=False)]
    for r in range(rounds):
        for a, b, by in zip((0, 2), (3, 1) if r % 2 else (1, 3), ROTATION[r % 8], strict=True):
            x[a] = (x[a] + x[b]) % WORD
            x[b] = (x[b] << by | x[b] >> (32 - by)) % WORD ^ x[a]
        if r % 4 == 3:
            times = r // 4 + 1
            x = [(x[i] + key[(times + i) % 5]) % WORD for i in range(4)]
            x[3] = (x[3] + times) % WORD
    return x


def threefry2(counter: list[int], seed: int, rounds: int) -> list[int]:
    """Threefry-2x32, word by word."""
    key = [seed % WORD, seed // WORD]
    key.append(0x1BD11BDA ^ key[0] ^ key[1])
    x = [(c + k) % WORD for c, k in zip(counter, key, strict=False)]
    for r in range(rounds):
        by = ROTATION2[r % 8]
        x[0] = (x[0] + x[1]) % WORD
        x[1] = (x[1] << by | x[1] >> (32 - by)) % WORD ^ x[0]
        if r % 4 == 3:
            times = r // 4 + 1
            x = [(x[i] + key[(times + i) % 3] + i * times) % WORD for i in range(2)]
    return x


def bits(counter: list[int], seed: int) -> list[int]:
    return threefry(counter, seed, 12)


def test_the_reference_gives_the_published_words() -> None:
    published = [0x9C6CA96A, 0xE17EAE66, 0xFC10ECD4, 0x5256A7D8]
    assert threefry([0, 0, 0, 0], 0, 20) == published
    assert threefry2([0, 0], 0, 20) == [0x6B200159, 0x99BA4EFE]


@pytest.mark.parametrize("seed", [0, 7, 2**32, SEED, 2**64 - 1])
def test_the_core_agrees_with_the_reference(seed: int) -> None:
    rng = np.random.default_rng(5)
    for counter in rng.integers(WORD, size=(20, 4), dtype=np.uint32):
        assert _core.threefry(counter, seed).tolist() == bits(counter.tolist(), seed)
        pair = counter[:2].copy()
        assert _core.threefry(pair, seed).tolist() == threefry2(pair.tolist(), seed, 13)


def test_a_mask_of_features_is_of_row_and_column() -> None:
    rows, columns, probability = 23, 19, 0.6
    arrays = _core.sort_features(
        rows,
        columns,
        np.arange(rows + 1) * columns,
        np.tile(np.arange(columns), rows),
        np.ones(rows * columns),
    )
    threshold = round((1 - probability) * 65536)
    expected = np.array([
        [threefry2([r, c], SEED ^ FEATURE_MASK, 13)[0] % 65536 < threshold for c in range(columns)]
        for r in range(rows)
    ])  # fmt: skip
    dropped = _core.sparse_project(*arrays[:3], np.eye(columns), 1, probability, SEED)
    assert np.array_equal(dropped, expected * (65536 / threshold))
    gradient = _core.sparse_project_weight_grad(
        *arrays[3:], columns, np.eye(rows), 1, probability, SEED
    )
    assert np.array_equal(gradient, dropped)


def test_sixteen_counters_decide_128_dense_values() -> None:
    threshold = round(0.7 * 65536)
    dropped = _core.dropout(np.ones(300), 0.3, SEED)
    for i, value in enumerate(dropped):
        run, place = divmod(i, 128)
        k, lane = divmod(place, 16)
        word = bits([16 * run + lane, 0, 0, DENSE_MASK], SEED)[k % 4]
        kept = (word >> 16 if k >= 4 else word % 65536) < threshold
        assert value == (65536 / threshold if kept else 0)
