"""An author's MCP server on the published package wakeshift 0.3.0, used as its documentation says.

Prints `listening on URL`. The signed-in user is the request's header x-user.
"""

import asyncio
import json
import os
import socket

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel
from wakeshift import ConversationId, Harness, Identity, SessionKey, Wakeshift, WakeshiftError

wake = Wakeshift(key=os.environ["WAKESHIFT_KEY"])


class OrderArgs(BaseModel):
    order: str
    status: str | None = None


class OrderPayload(BaseModel):
    status: str
    note: str | None = None


class NoteArgs(BaseModel):
    board: str


class NotePayload(BaseModel):
    text: str


order_changed = wake.define_event(
    "order.changed",
    description="An order changed",
    args=OrderArgs,
    payload=OrderPayload,
    text=lambda payload, args: f"Order {args.order} is {payload.status}",
)

note_added = wake.define_event(
    "note.added",
    description="A note for you",
    args=NoteArgs,
    payload=NotePayload,
    text=lambda payload, args: payload.text,
    personal=True,
)


def user_of(ctx) -> Identity | None:
    request = getattr(ctx, "request", None)
    user = request.headers.get("x-user") if request is not None else None
    return Identity(user=user) if user else None


server = MCPServer("orders")
wake.attach(server, identify=user_of)


@server.tool()
async def watch_order(
    order: str,
    ctx: Context,
    session_key: SessionKey = None,
    harness: Harness = None,
    conversation_id: ConversationId = None,
):
    """Watch an order."""
    who = user_of(ctx.request_context)
    subscription = await order_changed.subscribe(
        ctx,
        {"order": order},
        user=who.user if who else None,
        wake_args={"session_key": session_key, "harness": harness, "conversation_id": conversation_id},
    )
    return subscription.result(f"Watching order {order}.")


@server.tool()
async def emit(event: str, args: dict, payload: dict, to: str | None = None, id: str | None = None) -> str:
    """Emit an occurrence, as the app's own code would."""
    known = {"order.changed": order_changed, "note.added": note_added}[event]
    try:
        done = await known.emit(args, payload, to=to, id=id)
    except WakeshiftError as error:
        return json.dumps({"code": error.code, "status": error.status, "message": error.detail})
    return json.dumps({"matched": done.matched, "duplicate": done.duplicate})


@server.tool()
async def app() -> str:
    """Which app this is."""
    try:
        info = await wake.app()
    except WakeshiftError as error:
        return json.dumps({"code": error.code, "status": error.status, "message": error.detail})
    return json.dumps({"id": info.id, "name": info.name, "key_id": info.key_id})


async def main() -> None:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
    stateless = os.environ.get("STATELESS") == "1"
    running = uvicorn.Server(uvicorn.Config(server.streamable_http_app(stateless_http=stateless), log_level="warning"))
    print(f"listening on {url}", flush=True)
    await running.serve(sockets=[listener])


asyncio.run(main())
