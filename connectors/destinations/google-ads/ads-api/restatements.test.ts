import type { EventOutcome, OutgoingEvent } from '@tributary/connector-kit'
import { outgoingEvent, type PeerAnswer, runConnector } from '@tributary/connector-kit/testing'
import { startVendor } from '@tributary/connector-kit/testing-destination'
import { describe, expect, it } from 'vitest'
import { googleAds } from '../definition.ts'
import { conversionAction, createGoogleAds, token } from '../testing-google-ads.ts'
import { adsErrorOf } from './testing-ads-api.ts'
import { adsTime } from './testing-wire-rows.ts'

const settings = {
  customer_id: '123-456-7890',
  conversion_action_id: conversionAction,
  client_id: 'client',
  client_secret: 'GOCSPX-0123456789',
  google_ads_api: true,
}
const origins = ['https://datamanager.googleapis.com', 'https://googleads.googleapis.com']
const delivered = { kind: 'delivered' }

const sender = async (answer: (usual: () => PeerAnswer) => PeerAnswer = (usual) => usual()) => {
  const ads = createGoogleAds()
  const { asked, rebase } = await startVendor({ origins }, (request) => answer(() => ads.answer(request)))
  const send = async (...events: OutgoingEvent[]) => {
    const result = await runConnector(googleAds, settings, events, { rebase, accessToken: async () => token })
    return { ...result, outcomes: result.outcomes as readonly EventOutcome[] }
  }
  return { ...ads, asked, send }
}

describe('restatements of one conversion', () => {
  const restatement = (value: number, timestamp: string, changes: Record<string, unknown> = {}): OutgoingEvent =>
    outgoingEvent(
      { messageId: `m-${value}`, timestamp },
      {
        action: 'upload_adjustment',
        payload: { adjustment_type: 'restatement', transaction_id: 'o-1', value, currency: 'EUR', ...changes },
      },
    )
  const retraction = outgoingEvent(
    { messageId: 'm-retraction', timestamp: new Date().toISOString() },
    { action: 'upload_adjustment', payload: { adjustment_type: 'retraction', transaction_id: 'o-3' } },
  )
  const valuesOf = ({ adsApi }: Awaited<ReturnType<typeof sender>>): unknown[] =>
    adsApi.taken.map(({ operation: { adjustmentDateTime, restatementValue } }) => [
      adjustmentDateTime,
      (restatementValue as { adjustedValue: number }).adjustedValue,
    ])
  const start = Date.now() - 60_000
  const at = (seconds: number): string => new Date(start + seconds * 1000).toISOString()

  it('their default time is that of the event, and those of one second are taken in their order', async () => {
    const ads = await sender()
    const { outcomes } = await ads.send(restatement(80, at(0)), restatement(50, at(0)), restatement(30, at(1)))
    expect(outcomes).toEqual([delivered, delivered, delivered])
    expect(valuesOf(ads)).toEqual([
      [adsTime(at(0)), 80],
      [adsTime(at(1)), 50],
      [adsTime(at(2)), 30],
    ])
  })

  it('after a lost response, a restatement is sent with the next second, and so is one with another value', async () => {
    const ads = await sender()
    for (const value of [80, 80, 50]) await ads.send(restatement(value, at(value === 50 ? 1 : 0)))
    expect(valuesOf(ads)).toEqual([
      [adsTime(at(0)), 80],
      [adsTime(at(1)), 80],
      [adsTime(at(2)), 50],
    ])
  })

  it('after three lost responses, the restatement arrives with a later second and is no dead letter', async () => {
    let requests = 0
    const ads = await sender((usual) => {
      const answer = usual()
      // The responses to the first request of each second are lost, and Google has taken the restatement.
      return [1, 3, 6].includes(++requests) ? 'reset' : answer
    })
    for (let attempt = 1; attempt <= 3; attempt++) await expect(ads.send(restatement(80, at(0)))).rejects.toThrow()
    expect((await ads.send(restatement(80, at(0)))).outcomes).toEqual([delivered])
    expect(valuesOf(ads)).toEqual([0, 1, 2, 3].map((second) => [adsTime(at(second)), 80]))
  })

  // conversion_adjustment_upload_error.proto: "More recent adjustment has already been reported".
  it('a restatement that is older than one that Google has is done, and no dead letter', async () => {
    const ads = await sender()
    await ads.send(restatement(50, at(9)))
    expect((await ads.send(restatement(80, at(0)))).outcomes).toEqual([
      { kind: 'skipped', reason: expect.stringContaining('Google has a more recent restatement') },
    ])
    expect(valuesOf(ads)).toEqual([[adsTime(at(9)), 50]])
  })

  it('a restatement that Google refuses with all times is rejected, and never counts as known', async () => {
    const { send, asked } = await sender()
    const changes = { transaction_id: 'error:RESTATEMENT_ALREADY_EXISTS:o-2' }
    expect((await send(restatement(80, at(0), changes), retraction)).outcomes).toEqual([
      { kind: 'rejected', reason: 'The error RESTATEMENT_ALREADY_EXISTS' },
      delivered,
    ])
    expect(asked).toHaveLength(6)
  })

  it('if the second try gets no response, the restatement is retried, and the others have their outcomes', async () => {
    let requests = 0
    const { send } = await sender((usual) => (++requests === 2 ? adsErrorOf(503, 'UNAVAILABLE') : usual()))
    const changes = { transaction_id: 'error:RESTATEMENT_ALREADY_EXISTS:o-2' }
    expect((await send(restatement(80, at(0), changes), retraction)).outcomes).toMatchObject([
      { kind: 'retry' },
      delivered,
    ])
  })
})
