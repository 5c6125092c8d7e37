"""The official Python client of OpenAI against `deepsearch serve`.

    python openai_client.py URL TOKEN

The collections must hold examples/simpsons, and the model must be one that answers at once.
"""

import re
import sys
import time

import openai

QUESTION = "How has The Simpsons changed over time?"


def links(text):
    """The citations, which are links to their evidence."""
    assert "<!--" not in text, "what only programs read is not shown"
    return re.findall(r"\[\[\d+\]\]\(http://[^)\s]+/#run/[^)\s]+/\d+\)", text)


def main(url, token):
    client = openai.OpenAI(base_url=f"{url}/v1", api_key=token, max_retries=0)

    names = [model.id for model in client.models.list()]
    assert names[0] == "deepsearch" and "deepsearch-react" in names, names
    assert client.models.retrieve("deepsearch-deep").id == "deepsearch-deep"

    ask = [{"role": "user", "content": QUESTION}]
    whole = client.chat.completions.create(model="deepsearch", messages=ask)
    text = whole.choices[0].message.content
    assert "## Sources" in text and links(text), text
    assert whole.usage.total_tokens > 0
    citation = whole.choices[0].message.annotations[0].url_citation
    assert text[citation.start_index:citation.end_index] == links(text)[0], citation
    assert citation.url.startswith("http"), citation

    reasoning, pieces = "", ""
    stream = client.chat.completions.create(model="deepsearch-deep", messages=ask, stream=True,
                                            stream_options={"include_usage": True})
    for chunk in stream:
        for choice in chunk.choices:
            pieces += choice.delta.content or ""
            reasoning += getattr(choice.delta, "reasoning_content", None) or ""
        last = chunk
    assert last.usage.total_tokens > 0
    assert "Plan:" in reasoning and links(pieces), (reasoning, pieces)

    follow = ask + [{"role": "assistant", "content": text}, {"role": "user", "content": "And what did the film earn?"}]
    answer = client.chat.completions.create(model="deepsearch", messages=follow,
                                            extra_body={"collections": ["audience", "history"]})
    assert "million" in answer.choices[0].message.content

    begun = client.responses.create(model="deepsearch", input=QUESTION, background=True)
    assert begun.status in ("queued", "in_progress"), begun
    while begun.status in ("queued", "in_progress"):
        time.sleep(0.1)
        begun = client.responses.retrieve(begun.id)
    assert begun.status == "completed" and links(begun.output_text), begun
    part = begun.output[-1].content[0]
    first = part.annotations[0]
    assert first.type == "url_citation" and part.text[first.start_index:first.end_index] in links(part.text), first

    events = list(client.responses.create(model="deepsearch", input=QUESTION, background=True, stream=True))
    numbers = [event.sequence_number for event in events]
    assert numbers == list(range(len(numbers))), numbers
    assert events[0].type == "response.created" and events[-1].type == "response.completed", events
    half = len(numbers) // 2
    again = list(client.responses.retrieve(events[0].response.id, stream=True, starting_after=half))
    assert [event.to_dict() for event in again] == [event.to_dict() for event in events[half + 1:]]
    said = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    assert said == events[-1].response.output_text

    after = client.responses.create(model="deepsearch", input="And what did the film earn?",
                                    previous_response_id=begun.id)
    assert after.status == "completed" and "million" in after.output_text, after

    gone = client.responses.create(model="deepsearch", input=QUESTION, background=True)
    gone = client.responses.cancel(gone.id)
    assert gone.status in ("cancelled", "completed"), gone

    for refused, call in [
        (openai.NotFoundError, lambda: client.chat.completions.create(model="gpt-5", messages=ask)),
        (openai.NotFoundError, lambda: client.responses.retrieve("resp_../token")),
        (openai.BadRequestError, lambda: client.chat.completions.create(model="deepsearch", messages=[])),
        (openai.AuthenticationError, lambda: client.with_options(api_key="wrong").models.list()),
    ]:
        try:
            call()
        except refused:
            pass
        else:
            raise AssertionError(refused)
    print("ok")


main(*sys.argv[1:])
