import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { routes } from '../../cluster/partition-ownership/role-groups.ts'
import type { DeliveryMessages } from './delivery.ts'
import { type Answers, answerMessage, type Client, createClient, type Messages, nothing } from './message.ts'
import type { PipelineMessages } from './pipeline.ts'

const messages = {
  double: { request: z.object({ count: z.number() }), answer: z.object({ result: z.number() }) },
  rest: { request: nothing, answer: nothing },
} satisfies Messages
type Tested = typeof messages

const answers: Answers<Tested> = { double: ({ count }) => ({ result: 2 * count }), rest: async () => {} }
const client = createClient(messages, (name, request) => answerMessage({ messages, answers }, name, request))

test('callers get the response to a message with its type, and a message without content has no request argument', async () => {
  const answer = await client.ask('double', { count: 21 })
  expectTypeOf(answer).toEqualTypeOf<{ result: number }>()
  expect(answer).toEqual({ result: 42 })
  expect(await client.ask('rest')).toBeUndefined()
})

test('a misspelled message and a wrong request do not compile for callers, and are rejected at run time', async () => {
  // @ts-expect-error: there is no such message.
  await expect(client.ask('dubble', { count: 1 })).rejects.toThrow('no answer to the question "dubble"')
  // @ts-expect-error: the request has another form.
  await expect(client.ask('double', { count: '1' })).rejects.toThrow('expected number')
  // @ts-expect-error: the request is missing.
  await expect(client.ask('double')).rejects.toThrow()
})

test('a role compiles only with exactly one handler for each of its messages', () => {
  // @ts-expect-error: an answer is missing.
  const missing: Answers<Tested> = { rest: () => {} }
  // @ts-expect-error: there is no such message.
  const misspelled: Answers<Tested> = { ...answers, dubble: () => {} }
  // @ts-expect-error: the answer has another form.
  const wrong: Answers<Tested> = { ...answers, double: () => ({ result: '42' }) }
  // @ts-expect-error: the request has another form.
  const other: Answers<Tested> = { ...answers, rest: (request: { count: number }) => void request }
  expect([missing, misspelled, wrong, other]).toHaveLength(4)
})

test('callers get an error if a response does not have the declared form', async () => {
  const other = createClient(messages, async () => ({ result: '42' }))
  await expect(other.ask('double', { count: 21 })).rejects.toThrow('expected number')
})

test('a role can only be asked its own messages, each with the request of its type', () => {
  const ask = (pipeline: Client<PipelineMessages>, delivery: Client<DeliveryMessages>) => [
    pipeline.ask('refresh'),
    // @ts-expect-error: the message is misspelled.
    pipeline.ask('refersh'),
    // @ts-expect-error: this is a message to the pipeline.
    delivery.ask('stream-trim', []),
    // @ts-expect-error: the request names no workspace.
    delivery.ask('take-up', { destinationId: 'd' }),
  ]
  expectTypeOf(ask).returns.toBeArray()
})

/**
 * Returns the names of the messages that go to groups. Other processes, which may have another version, receive them.
 */
const namesToGroups = (table: Readonly<Record<string, { kind: string }>>): string[] =>
  Object.keys(table).filter((name) => !['of-journals', 'of-none'].includes(table[name]?.kind ?? ''))

test('processes of two adjacent versions use the same message names', () => {
  // Renaming one of these takes two versions: the first accepts both names.
  expect(namesToGroups(routes.pipeline)).toEqual([
    'refresh',
    'tell-destinations',
    'stream-append',
    'stream-begin-epoch',
    'stream-last-sequences',
    'stream-trim',
    'refill',
  ])
  expect(namesToGroups(routes.delivery)).toEqual(['refresh', 'forget', 'retry', 'take-up', 'needed'])
})
