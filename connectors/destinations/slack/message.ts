import { isJsonObject, type PayloadOf } from '@tributary/connector-kit'
import type { sendMessage } from './actions/send-message.ts'

/** The payload of an incoming webhook. */
export type Message = { text: string; blocks?: readonly unknown[]; thread_ts?: string }

/**
 * Escapes the three characters that have a meaning in Slack, so that `<!channel>` in an event's text notifies no one.
 * Source: Slack, "Formatting text for app surfaces", escaping text.
 */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Returns blocks whose marked-up texts are escaped; other texts have no markup. */
const withoutMarkup = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutMarkup)
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).map(([key, item]) => [key, withoutMarkup(item)])
  const copy: Readonly<Record<string, unknown>> = Object.fromEntries(entries)
  return value['type'] === 'mrkdwn' && typeof value['text'] === 'string'
    ? { ...copy, text: escaped(value['text']) }
    : copy
}

/** Maximum blocks of a message (Slack, "Block Kit"). */
const maxBlocks = 50

/**
 * Returns the message of a mapping, or the reason why Slack would refuse it. Unless `markup` is allowed, links and
 * mentions in it are plain text.
 */
export const messageOf = (
  { text, blocks = [], thread_ts: thread = '' }: PayloadOf<typeof sendMessage>,
  markup: boolean,
): { message: Message } | { problem: string } => {
  if (text.trim() === '') return { problem: 'The message has no text' }
  const message: Message = { text: markup ? text : escaped(text) }
  if (thread !== '') message.thread_ts = thread
  if (blocks.length === 0) return { message }
  if (!blocks.every((block) => isJsonObject(block) && typeof block['type'] === 'string'))
    return { problem: 'Blocks must be a list of objects with a type' }
  if (blocks.length > maxBlocks)
    return { problem: `The message has ${blocks.length} blocks; Slack allows ${maxBlocks}` }
  message.blocks = markup ? blocks : blocks.map(withoutMarkup)
  return { message }
}
