import { expect, it, onTestFinished } from 'vitest'
import type { EventOutcome, OutgoingRow } from '../../definition/definition.ts'
import { type PeerAnswer, runConnectorRows, startPeer } from '../../testing/testing.ts'
import { defineDescribed } from '../define-described.ts'
import { sample } from '../testing-descriptions.ts'

const guide = '## One\n\nA text.\n\n## Two\n\nA text.\n'

const byItem = {
  requests: { erase: { method: 'POST', server: 'api', path: '/erase', batch: { at: 'items', max_items: 10 } } },
  deletion: { request: 'erase', item: { ids: '{{ ids }}' }, ids: ['user_id'], max_ids: 10 },
}

const byRecord = {
  requests: {
    erase: {
      method: 'DELETE',
      server: 'api',
      path: '/records/{{ found }}',
      find: { request: 'search', value: 'data.0.id', otherwise: 'search' },
    },
    search: { method: 'GET', server: 'api', path: '/records', query: { key: '{{ id }}' } },
  },
  deletion: { request: 'erase', ids: ['user_id'] },
}

/** Deletes a person at a peer with one answer; returns the outcome, and the requests. */
const erase = async (more: object, answer: PeerAnswer) => {
  const peer = await startPeer(() => answer)
  onTestFinished(() => peer.close())
  const row = {
    operation: 'delete',
    object: 'users',
    json: JSON.stringify({ userIds: ['u-1', 'u-2'], anonymousIds: [], externalIds: [] }),
  } as unknown as OutgoingRow
  const settings = { server: peer.url, key: 'k3y-0123456789' }
  const { outcomes } = await runConnectorRows(defineDescribed(sample({ ...more }), guide), settings, [row])
  const [outcome] = [outcomes].flat() as EventOutcome[]
  return { outcome, methods: peer.requests.map(({ method }) => method) }
}

it.each<[string, string]>([
  ['its item', '{"at":0,"why":"no"}'],
  ['an ID by its index', '{"at":1,"why":"no"}'],
  ['nothing', '{"why":"no"}'],
])('a deletion is refused if the answer has an error that names %s', async (_, error) => {
  const { outcome } = await erase(byItem, { status: 207, body: `{"errors":[${error}]}` })
  expect(outcome).toEqual({ kind: 'rejected', reason: 'no' })
})

it('a deletion is done if the answer has no errors', async () => {
  expect((await erase(byItem, { status: 207, body: '{"errors":[]}' })).outcome).toEqual({ kind: 'delivered' })
})

it.each<[string, PeerAnswer]>([
  ['empty', { status: 200 }],
  ['cut off', { status: 200, body: `{"x":"${'x'.repeat(1_100_000)}","data":[{"id":"r1"}]}` }],
])('a lookup whose answer is %s does not mean that there is nothing to delete', async (_, answer) => {
  const { outcome, methods } = await erase(byRecord, answer)
  expect(outcome).toEqual({ kind: 'retry', reason: 'The answer of Sample cannot be read (HTTP 200)' })
  expect(methods).toEqual(['GET'])
})

it('there is nothing to delete if there is no record', async () => {
  expect(await erase(byRecord, { status: 404 })).toEqual({ outcome: { kind: 'delivered' }, methods: ['GET', 'GET'] })
})
