import { readFileSync } from 'node:fs'
import type { WireCases } from '@tributary/connector-kit/testing-wire'
import { describe, expect, it } from 'vitest'
import { wireCases as googleAds } from '../../destinations/google-ads/testing-wire-cases.ts'
import { wireCases as googleAnalytics } from '../../destinations/google-analytics/testing-wire-cases.ts'
import { wireCases as googleCustomerMatch } from '../../destinations/google-customer-match/testing-wire-cases.ts'
import { wireCases as metaConversions } from '../../destinations/meta-conversions/testing-wire-cases.ts'
import { wireCases as metaCustomAudiences } from '../../destinations/meta-custom-audiences/testing-wire-cases.ts'
import { wireCases as tiktokAudiences } from '../../destinations/tiktok-audiences/testing-wire-cases.ts'
import { wireCases as tiktokEvents } from '../../destinations/tiktok-events/testing-wire-cases.ts'
import { posthog, rudderstack } from './testing-further-peers.ts'
import { type PeerField, type PeerOffer, segment } from './testing-peers.ts'

const destinations = [
  googleAnalytics,
  metaConversions,
  metaCustomAudiences,
  tiktokEvents,
  tiktokAudiences,
  googleAds,
  googleCustomerMatch,
] as const

const peers: readonly (readonly [name: string, offers: Readonly<Record<string, PeerOffer>>])[] = [
  ['Segment', segment],
  ['RudderStack', rudderstack],
  ['PostHog', posthog],
]

const page = readFileSync(new URL('../../../docs/conversions.md', import.meta.url), 'utf8')

const rowsOf = ({ actions }: WireCases) => Object.values(actions).flatMap(({ rows }) => rows)

/** Whether a field of a peer is here, and a row proves that its value reaches the vendor. */
const isProven = (cases: WireCases, ours: PeerField[1]): boolean => {
  const declared = cases.definition.actions.flatMap(({ targets }) => targets.map(({ name }) => name))
  const rows = rowsOf(cases)
  if ('target' in ours) return declared.includes(ours.target) && rows.some(({ target }) => target === ours.target)
  if ('setting' in ours) return rows.some(({ target }) => target === `settings.${ours.setting}`)
  // `people-lists.test.ts` proves that the name and the app reach the vendor.
  if ('list' in ours) return cases.definition.peopleLists !== undefined
  if ('item' in ours) return rows.some(({ item }) => item === ours.item)
  return 'custom' in ours && rows.some(({ target }) => !declared.includes(target) && !target.startsWith('settings.'))
}

const presetsOf = ({ definition }: WireCases): string[] =>
  definition.presets.map(({ eventName, eventType, fields }) => {
    const { value } = fields['event_name'] ?? {}
    return `${eventName ?? `(${eventType})`} = ${String(value ?? '')}`
  })

const proven = (cases: WireCases, offer: PeerOffer): number =>
  offer.fields.filter(([, ours]) => isProven(cases, ours)).length

/** Returns the row of a destination in the table of the documentation. */
const documented = (cases: WireCases): string => {
  const { title, slug, actions, presets } = cases.definition
  const ours = new Set(actions.flatMap(({ targets }) => targets.map(({ name }) => name)))
  const offers = peers.map(([, of]) => of[slug])
  const cells = [
    title,
    ours.size,
    ...offers.map((offer) => (offer === undefined ? '' : `${proven(cases, offer)} of ${offer.fields.length}`)),
    presets.length,
    ...offers.map((offer) => {
      const there = (offer?.presets.length ?? 0) + Object.keys(offer?.notHere ?? {}).length
      return there === 0 ? '' : `${offer?.presets.length} of ${there}`
    }),
  ]
  return `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |').replaceAll('|  |', '| |')
}

describe.each(destinations.map((cases) => [cases.definition.title, cases] as const))(
  'what peers offer for %s',
  (_title, cases) => {
    const offers = peers.flatMap(([name, of]) => {
      const offer = of[cases.definition.slug]
      return offer === undefined ? [] : [[name, offer] as const]
    })

    it.each(offers)('each field of %s reaches the vendor in a test, or has a reason', (_name, { fields }) => {
      const missing = fields.filter(([, ours]) => !('none' in ours) && !isProven(cases, ours)).map(([name]) => name)
      expect(missing).toEqual([])
    })

    it.each(offers)('each default mapping of %s is a preset here, or has a reason', (_name, { presets }) => {
      expect(presetsOf(cases)).toEqual(expect.arrayContaining(presets.map((pair) => pair.join(' = '))))
    })

    it('the documentation has the counts', () => {
      const row = documented(cases)
      const start = row.slice(0, row.indexOf('|', 1) + 1)
      const section = page.slice(page.indexOf('## Compared'))
      expect(section.split('\n').filter((line) => line.startsWith(start))).toEqual([row])
    })
  },
)
