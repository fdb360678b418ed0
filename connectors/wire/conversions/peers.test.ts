import { readFileSync } from 'node:fs'
import type { DestinationDefinition } from '@tributary/connector-kit'
import { describe, expect, it } from 'vitest'
import { googleAds } from '../../destinations/google-ads/definition.ts'
import { googleAnalytics } from '../../destinations/google-analytics/definition.ts'
import { googleCustomerMatch } from '../../destinations/google-customer-match/definition.ts'
import { metaConversions } from '../../destinations/meta-conversions/definition.ts'
import { metaCustomAudiences } from '../../destinations/meta-custom-audiences/definition.ts'
import { tiktokEvents } from '../../destinations/tiktok-events/definition.ts'
import { type PeerOffer, peerOffers } from './testing-peers.ts'

const definitions = [
  googleAnalytics,
  metaConversions,
  metaCustomAudiences,
  tiktokEvents,
  googleAds,
  googleCustomerMatch,
] as const

const page = readFileSync(new URL('../../../docs/conversions.md', import.meta.url), 'utf8')

const offerOf = ({ slug }: DestinationDefinition): PeerOffer => {
  const offers: Readonly<Record<string, PeerOffer>> = peerOffers
  const offer = offers[slug]
  if (offer === undefined) throw new Error(slug)
  return offer
}

const presetsOf = ({ presets }: DestinationDefinition): string[] =>
  presets.map(({ eventName, eventType, fields }) => {
    const { value } = fields['event_name'] ?? {}
    return `${eventName ?? `(${eventType})`} = ${String(value ?? '')}`
  })

describe.each(definitions.map((definition) => [definition.title, definition] as const))(
  'what peers offer for %s',
  (title, definition) => {
    const offer = offerOf(definition)
    const targets = new Set(definition.actions.flatMap((action) => action.targets.map(({ name }) => name)))
    const settings = new Set(definition.settings.fields.map(({ name }) => name))

    it('each field of theirs is here, or has a reason', () => {
      for (const [peer, ours] of offer.fields) {
        if ('target' in ours) expect([peer, ours.target, targets.has(ours.target)]).toEqual([peer, ours.target, true])
        if ('setting' in ours) expect([peer, settings.has(ours.setting)]).toEqual([peer, true])
        if ('custom' in ours) expect(definition.actions.some(({ customTargets }) => customTargets)).toBe(true)
      }
    })

    it('each default subscription of theirs is a preset here', () => {
      expect(presetsOf(definition)).toEqual(expect.arrayContaining(offer.presets.map((pair) => pair.join(' = '))))
    })

    it('the documentation has the counts', () => {
      const missing = offer.fields.filter(([, ours]) => 'none' in ours).length
      const { length: theirs } = offer.fields
      const row = `| ${title} | ${theirs} | ${theirs - missing} | ${offer.presets.length} | ${offer.presets.length} |`
      expect(page).toContain(row)
    })
  },
)
