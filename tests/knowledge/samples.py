"""Small sound entries that tests write and change."""

from __future__ import annotations

HEAD = "# yaml-language-server: $schema=../schema/{}.schema.json\n"

SOURCE = (
    HEAD.format("source")
    + """\
name: vLLM
readings:
  vllm-install-gpu:
    {url: "https://docs.example.org/v1/install", title: Install, kind: official-docs, read: 2026-11-20}
  vllm-readme: {url: "https://github.com/v/v/blob/v1.0/README.md", title: Readme, kind: code, read: 2026-11-29}
"""
)

FAMILY = (
    HEAD.format("family")
    + """\
name: {en: Serving, vi: Phục vụ, ru: Обслуживание}
order: 1
job: {en: Many users, vi: Nhiều người, ru: Много людей}
summary: {en: For many., vi: Cho nhiều người., ru: Для многих.}
source: vllm-readme
checked: 2026-11-29
"""
)

ENGINE = (
    HEAD.format("engine")
    + """\
name: vLLM
aka: [vllm-openai]
layer: engine
homepage: https://docs.example.org
licence: {is: Apache-2.0, source: vllm-readme}
family: serving
status: {is: active, source: vllm-readme}
versions: {stable: "1.0", scheme: semver, source: vllm-readme}
runs_on:
  - backend: cuda
    needs: {device.compute_capability: ">=7.5", host.os: [linux, wsl2]}
    source: vllm-install-gpu
    note: {en: Needs a driver., vi: Cần driver., ru: Нужен драйвер.}
cautions:
  - id: port
    when: {candidate.tp: ">1"}
    text: {en: "Opens a port on {candidate.tp} cards.", vi: "Mở cổng trên {candidate.tp} card."}
    source: [vllm-readme, vllm-install-gpu]
summary: {en: A server., vi: Một máy chủ., ru: Сервер.}
verdict: {en: Use it., vi: Hãy dùng., ru: Используйте.}
checked: 2026-11-29
"""
)

RULE = (
    HEAD.format("rule")
    + """\
when: {host.os: linux}
effect: nominate
engine: vllm
role: start
strength: decisive
reason: {en: It batches., vi: Nó gộp lô., ru: Он собирает батчи.}
source: vllm-readme
checked: 2026-11-28
"""
)

TEXT = (
    HEAD.format("text")
    + """\
texts:
  start: {en: "Start with {engine}", vi: "Bắt đầu với {engine}", ru: "Начните с {engine}"}
  only-english: {en: Only English}
"""
)

TERM = (
    HEAD.format("term")
    + """\
name: {en: card, vi: card, ru: карта}
definition: {en: A device., vi: Một thiết bị., ru: Устройство.}
plural: {en: [card, cards], vi: [card], ru: [карта, карты, карт]}
checked: 2026-11-29
"""
)

MEASUREMENT = (
    HEAD.format("measurement")
    + """\
source: vllm-readme
records:
  - {id: one, engine: vllm, model: qwen3-8b, batch: 1, decode_tps: 61.5, date: 2026-11, quality: high, note: by hand}
"""
)

BASE = {
    "sources/vllm.yml": SOURCE,
    "families/serving.yml": FAMILY,
    "engines/vllm.yml": ENGINE,
    "rules/start-vllm.yml": RULE,
    "text/answer.yml": TEXT,
    "glossary/card.yml": TERM,
    "measurements/readme.yml": MEASUREMENT,
}
