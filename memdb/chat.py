"""The way to a language model by the chat completions of an OpenAI-compatible endpoint: Ollama, llama.cpp, vLLM, OpenAI."""

from __future__ import annotations

import json
import os
import re
from typing import Literal

from pydantic import BaseModel

from memdb import checks
from memdb.endpoint import failure, open_client, read_body
from memdb.errors import ConfigError, ModelError
from memdb.llm import ContextTooLong, FormatRefused, LanguageModel, Mode, ModelReply, ModelRequest, Transport

_MOST_TOKENS = 2**31
_MOST_BYTES = 8 * 1024 * 1024  # of an answer; no model writes as much in one


def choose_llm(spec: LanguageModel | Literal["auto"] | None, *, model: str | None, timeout: float, attempts: int) -> LanguageModel | None:
    """Return the model to use; "auto" is the one named in the settings at `OPENAI_BASE_URL`, and None unless both are set.

    Raises:
        ConfigError: a model is set, but the package that reaches it is not installed; or what is given is no model.
    """
    if spec is None or isinstance(spec, LanguageModel):
        return spec
    if spec != "auto":
        raise ConfigError(
            f"`llm` is {spec!r}; give a LanguageModel (around a transport: LanguageModel(transport, name=…)), None for rules, or name a"
            " model at OPENAI_BASE_URL by the setting model."
        )
    base_url = os.environ.get("OPENAI_BASE_URL")
    if not base_url or not model:
        return None
    transport = openai_transport(model=model, base_url=base_url, api_key=os.environ.get("OPENAI_API_KEY"), timeout=timeout)
    return LanguageModel(transport, name=model, attempts=attempts)


def openai_transport(*, model: str, base_url: str | None = None, api_key: str | None = None, timeout: float = 60.0) -> Transport:
    """Return a transport to an OpenAI-compatible endpoint (Ollama, llama.cpp, vLLM, OpenAI), by the `openai` package.

    Raises:
        ConfigError: the package is not installed.
    """
    client = open_client(model, base_url=base_url, api_key=api_key, timeout=timeout, most_bytes=_MOST_BYTES)
    import openai  # only now: without it, `open_client` has said what to install

    # newer models of OpenAI want the one under another name, and refuse the other
    spelled = {"max_tokens": "max_tokens", "temperature": "temperature"}

    def call(request: ModelRequest) -> ModelReply:
        formats: dict[Mode, object] = {
            "json_schema": {"type": "json_schema", "json_schema": {"name": "answer", "schema": request.schema_}},
            "json_object": {"type": "json_object"},
            "text": openai.omit,
        }
        settings = {"max_tokens": request.max_tokens, "temperature": request.temperature}
        sent = {spelled[name]: value for name, value in settings.items() if name in spelled}
        try:
            asked = client.chat.completions.with_streaming_response.create(  # type: ignore[call-overload]
                model=model,
                messages=[{"role": "system", "content": request.system}, {"role": "user", "content": request.user}],
                seed=0,
                response_format=formats[request.mode],
                **sent,
            )
            return _reply(read_body(model, asked, most=_MOST_BYTES))
        except openai.APIStatusError as error:
            if error.status_code == 400 and "max_completion_tokens" in str(error) and "max_tokens" in sent:
                spelled["max_tokens"] = "max_completion_tokens"
                return call(request)
            if error.status_code == 400 and "'temperature'" in str(error) and "temperature" in sent:
                spelled.pop("temperature", None)
                return call(request)
            raise _refusal(model, error.status_code, str(error), request.mode) or failure(model, error) from error
        except (openai.OpenAIError, ValueError, RecursionError) as error:  # what is no completion is a ValueError
            raise failure(model, error) from error

    return call


class _Said(BaseModel):
    content: str | None = None


class _Choice(BaseModel):
    message: _Said
    finish_reason: object = None


class _Completion(BaseModel):
    """As much of what a server answers as is needed; what only tells of the answer may be anything."""

    choices: tuple[_Choice, ...] | None = None
    usage: object = None


def _reply(body: bytes) -> ModelReply:
    completion = _Completion.model_validate(json.loads(body))
    if not completion.choices:
        return ModelReply(text="")
    choice = completion.choices[0]
    return ModelReply(
        text=checks.searchable(choice.message.content or ""),
        finish_reason=checks.searchable(choice.finish_reason) if isinstance(choice.finish_reason, str) else None,
        prompt_tokens=_tokens(completion.usage, "prompt_tokens"),
        completion_tokens=_tokens(completion.usage, "completion_tokens"),
    )


def _tokens(usage: object, name: str) -> int | None:
    told = usage.get(name) if isinstance(usage, dict) else None
    return told if isinstance(told, int) and 0 <= told <= _MOST_TOKENS else None


def _refusal(model: str, status: int, detail: str, mode: Mode) -> ModelError | None:
    """What of the prompt, or of the way of asking, the server does not take; None if it is neither."""
    short = " ".join(detail.split())[:200]
    if status in (400, 413) and re.search(r"context|too long|too large|token", detail, re.IGNORECASE):
        return ContextTooLong(f"The prompt is too long for the model {model} ({short}); give it shorter turns or a larger context.")
    if (
        status in (400, 404, 415, 422, 501)
        and mode != "text"
        and re.search(r"format|schema|json|grammar|unsupported", detail, re.IGNORECASE)
    ):
        return FormatRefused(f"{mode} is refused: {short}")
    return None
