import { compileMappings, type DestinationDefinition } from '@tributary/connector-kit'
import { outgoingEvent } from '@tributary/connector-kit/testing'
import { describe, expect, it } from 'vitest'
import { googleAds } from '../../destinations/google-ads/definition.ts'
import {
  token as adsToken,
  conversionAction,
  createGoogleAds,
} from '../../destinations/google-ads/testing-google-ads.ts'
import { googleAnalytics } from '../../destinations/google-analytics/definition.ts'
import { createAnalytics, measurement, secret } from '../../destinations/google-analytics/testing-google-analytics.ts'
import { metaConversions } from '../../destinations/meta-conversions/definition.ts'
import {
  createMetaConversions,
  pixel as metaPixel,
  token as metaToken,
} from '../../destinations/meta-conversions/testing-meta-conversions.ts'
import { tiktokEvents } from '../../destinations/tiktok-events/definition.ts'
import { createTikTok, pixel, token } from '../../destinations/tiktok-events/testing-tiktok.ts'
import { type Peer, receivedEvent, sendTo } from './testing-presets.ts'

const peers: Readonly<Record<string, { peer: Peer; targets: readonly string[] }>> = {
  Meta: {
    peer: {
      definition: metaConversions,
      origin: 'https://graph.facebook.com',
      settings: { pixel_id: metaPixel, access_token: metaToken },
      answer: createMetaConversions().answer,
    },
    targets: ['client_ip_address', 'fbc', 'fbp'],
  },
  TikTok: {
    peer: {
      definition: tiktokEvents,
      origin: 'https://business-api.tiktok.com',
      settings: { pixel_code: pixel, access_token: token },
      answer: createTikTok().answer,
    },
    targets: ['ip', 'ttclid'],
  },
  'Google Ads': {
    peer: {
      definition: googleAds,
      origin: 'https://datamanager.googleapis.com',
      settings: {
        customer_id: '123-456-7890',
        conversion_action_id: conversionAction,
        client_id: 'client',
        client_secret: 'GOCSPX-0123456789',
      },
      answer: createGoogleAds().answer,
      accessToken: async () => adsToken,
    },
    targets: ['ip_address', 'gclid'],
  },
  'Google Analytics': {
    peer: {
      definition: googleAnalytics,
      origin: 'https://www.google-analytics.com',
      settings: { measurement_id: measurement, api_secret: secret },
      answer: createAnalytics().answer as Peer['answer'],
    },
    targets: ['ip_override'],
  },
}

/** Returns what a delivery of the event lists: the problems of the mapping, and the note of the connector. */
const listedBy = async (peer: Peer, ip: string, click: string): Promise<{ listed: string[]; body: string }> => {
  const event = receivedEvent('Order Completed', {
    properties: { order_id: 'o-1', revenue: 25, currency: 'EUR' },
    context: {
      ip,
      userAgent: 'Mozilla/5.0',
      page: { url: 'https://shop.example/' },
      clickIds: { gclid: click, ttclid: click },
      browserIds: { fbc: click, fbp: click },
      traits: { email: 'ada@example.com' },
    },
  })
  const map = compileMappings(peer.definition as DestinationDefinition, undefined, {
    workspaceId: 'w',
    destinationId: 'd',
  })
  const mapped = map(event, 's')
  if (mapped.kind !== 'mapped') throw new Error(JSON.stringify(mapped))
  const outgoing = outgoingEvent({ messageId: 'o-1' }, { action: mapped.action, payload: mapped.payload ?? {} })
  const { asked, outcomes } = await sendTo(peer, [outgoing])
  const [outcome] = outcomes
  expect(outcome?.kind).toBe('delivered')
  const note = outcome?.kind === 'delivered' && outcome.note !== undefined ? [outcome.note] : []
  return { listed: [...mapped.problems.map(({ message }) => message), ...note], body: JSON.stringify(asked[0]?.body) }
}

const wrongs: readonly [title: string, ip: string, click: string][] = [
  ['words', 'unknown', 'two words'],
  ['numbers beyond the range', '300.1.1.1', 'x y'],
  ['a port, and a tab', '192.0.2.71:443', 'a\tb'],
  ['long texts', 'x'.repeat(5000), 'z'.repeat(1001)],
]

describe.each(Object.entries(peers))('a wrong part of an event for %s', (_, { peer, targets }) => {
  it.each(wrongs)('is left out and listed once: %s', async (_title, ip, click) => {
    const { listed, body } = await listedBy(peer, ip, click)
    expect(body).not.toContain(JSON.stringify(ip).slice(1, -1))
    expect(body).not.toContain(JSON.stringify(click).slice(1, -1))
    for (const target of targets) {
      const times = listed.join('; ').split(new RegExp(`\\(${target}\\)|\\b${target}:`)).length - 1
      expect([target, times]).toEqual([target, 1])
    }
  })
})
