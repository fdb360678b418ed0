import { type Peer, type PeerAnswer, startPeer } from '@tributary/connector-kit/testing'
import { webhook } from '@tributary/connectors/destinations/webhook'
import { createTestStores, eventually } from '@tributary/test-kit'
import { afterEach, describe, expect, it } from 'vitest'
import type { DeliverySettings } from '../settings.ts'
import { createFixture, distinct, type Fixture } from '../testing.ts'

const { database, store } = await createTestStores()
let fixture: Fixture
let peer: Peer

const hour = 3_600_000

afterEach(async () => {
  await fixture.close()
  await peer.close()
  await database.db.deleteFrom('parked_deliveries').execute()
  await store.command('truncate table deliveries')
})

const open = async (
  settings: Partial<DeliverySettings>,
  answer: () => PeerAnswer,
  segmentBytes?: number,
): Promise<string> => {
  peer = await startPeer(answer)
  fixture = await createFixture({
    db: database.db,
    eventStore: store,
    connector: webhook,
    settings: { maintenanceMs: 20, ...settings },
    ...(segmentBytes === undefined ? {} : { segmentBytes }),
  })
  return fixture.destination({ url: peer.url })
}
const parked = () => database.db.selectFrom('parked_deliveries').selectAll().execute()

describe('maintenance of parked rows', () => {
  it('rows beyond the maximum age or number become dead letters with the reason', async () => {
    const once = { baseMs: 3_600_000, capMs: 3_600_000, maxElapsedMs: 2000 }
    const settings = {
      retry: once,
      circuit: { consecutive: 1000, window: 1000, ratio: 1, baseMs: 100, capMs: 100 },
      held: { maxAgeMs: 300, maxLogAgeMs: hour, maxEvents: 1000, maxRows: 4 },
    }
    const id = await open(settings, () => ({ status: 500 }))
    await fixture.append([id], 10)
    const crowd = await eventually('the number is kept', async () => {
      const rows = await parked()
      return rows.length === 10 && rows.filter((row) => row.state === 'waiting').length <= 4 && rows
    })
    expect(crowd.filter((row) => row.state === 'dead').every((row) => row.last_reason === 'limit')).toBe(true)
    await eventually('the age is kept', async () => (await parked()).every((row) => row.state === 'dead'))
    expect((await parked()).every((row) => row.last_reason === 'limit' && row.last_status === 500)).toBe(true)
    await eventually(
      'nothing of the log is needed any more',
      () => fixture.delivery.minimumNeeded().reduce((sum, place) => sum + place.offset, 0) === 10,
    )
  })

  it('old rows and ranges become dead, even if made due repeatedly, and the log can delete the records', async () => {
    const held = { maxAgeMs: hour, maxLogAgeMs: 500, maxEvents: 1000, maxRows: 1000 }
    const retry = { baseMs: hour, capMs: hour, maxElapsedMs: hour }
    const circuit = { consecutive: 1000, window: 1000, ratio: 1, baseMs: 100, capMs: 100 }
    const id = await open({ held, retry, circuit }, () => ({ status: 500 }), 1)
    const paused = fixture.destination({ url: peer.url }, { enabled: false })
    await fixture.append([id, paused], 3)
    const isDead = async () => {
      const rows = await parked()
      return rows.length >= 4 && rows.every(({ state, last_reason }) => state === 'dead' && last_reason === 'limit')
    }
    const isReleased = () => {
      const needed = fixture.delivery.minimumNeeded()
      return needed.reduce((sum, place) => sum + place.offset, 0) === 4
    }
    await eventually('all are parked', async () => (await parked()).length >= 4)
    // The log always keeps its newest file.
    await fixture.append([], 1)
    await eventually('all are dead', isDead)
    await eventually('nothing of the log is needed any more', isReleased)
    await database.db
      .updateTable('parked_deliveries')
      .set({ state: 'waiting', first_time: new Date(), next_time: new Date(Date.now() + hour) })
      .execute()
    await fixture.delivery.takeUp(paused)
    await eventually('all are dead again', isDead)
    await eventually('nothing of the log is needed again', isReleased)
  })

  it('only the newest dead letters stay in the database; the delivery log keeps all', async () => {
    const id = await open({ dead: { maxAgeMs: 3_600_000, maxRows: 5 } }, () => ({ status: 400 }))
    await fixture.append([id], 30)
    await fixture.delivery.idle()
    await eventually('five are left', async () => (await parked()).length === 5)
    expect((await fixture.attempts()).filter((row) => row.status === 'dead')).toHaveLength(30)
  })

  it('a dead letter that is made due again is sent again', async () => {
    let refuses = true
    const id = await open({}, () => ({ status: refuses ? 400 : 200 }))
    await fixture.append([id], 3)
    await fixture.delivery.idle()
    refuses = false
    await database.db.updateTable('parked_deliveries').set({ state: 'waiting', next_time: new Date() }).execute()
    await peer.until(() => peer.requests.length === 6)
    await eventually('the row is gone', async () => (await parked()).length === 0)
    expect(distinct(peer)).toBe(3)
  })

  it('a dead range of held records is sent if it is made due again', async () => {
    const id = await open({ held: { maxAgeMs: 700, maxLogAgeMs: hour, maxEvents: 1000, maxRows: 1000 } }, () => ({
      status: 200,
    }))
    const entry = fixture.entries.get(id)
    if (entry === undefined) throw new Error('no such destination')
    fixture.entries.set(id, { ...entry, enabled: false })
    await fixture.append([id], 5)
    const dead = await eventually('the range is dead', async () => {
      const [row] = await parked()
      return row?.state === 'dead' && row
    })
    fixture.entries.set(id, entry)
    await database.db
      .updateTable('parked_deliveries')
      .set({ state: 'waiting', first_time: new Date(), next_time: new Date() })
      .where('id', '=', dead.id)
      .execute()
    await fixture.delivery.retryNow(id)
    await fixture.delivery.retryNow(id)
    await eventually('all of it was sent', () => distinct(peer) === 5)
    await eventually('the range is gone', async () => (await parked()).length === 0)
    await fixture.delivery.idle()
    expect(dead).toMatchObject({ event_count: 5, last_reason: 'limit' })
    expect(await fixture.attempts()).toHaveLength(5)
  })

  it('every attempt of a replayed event names its replay, both from the log and from a parked row', async () => {
    let refuses = true
    const id = await open({}, () => ({ status: refuses ? 400 : 200 }))
    await fixture.append([id], 1)
    await fixture.append([id], 1, 1, { p: 'of-history' })
    await fixture.delivery.idle()
    const replay = '01999999-0000-7000-8000-000000000001'
    const [first] = (await parked()).toSorted((a, b) => Number(a.log_offset) - Number(b.log_offset))
    const rows = database.db.updateTable('parked_deliveries')
    await rows
      .set({ replay_id: replay })
      .where('id', '=', first?.id ?? '')
      .execute()
    await rows.set({ state: 'waiting', next_time: new Date(), attempts: 0 }).execute()
    await fixture.delivery.retryNow(id)
    await fixture.delivery.idle()
    await rows.set({ state: 'waiting', next_time: new Date(), attempts: 0 }).execute()
    refuses = false
    await fixture.delivery.retryNow(id)
    await fixture.delivery.idle()
    const attempts = (await fixture.attempts()).map((row) => [row.message_id, row.status, row.replay_id]).toSorted()
    expect(attempts).toEqual([
      ['m-0', 'dead', ''],
      ['m-0', 'dead', replay],
      ['m-0', 'delivered', replay],
      ['m-1', 'dead', 'of-history'],
      ['m-1', 'dead', 'of-history'],
      ['m-1', 'delivered', 'of-history'],
    ])
  })
})
