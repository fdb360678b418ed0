import { createHash } from 'node:crypto'
import { rowsFrom, type WireCases, type WirePreset, type WireRow } from '@tributary/connector-kit/testing-wire'
import { tiktokAudiences } from './definition.ts'
import { advertiser, audience, createTikTokAudiences, token } from './testing-tiktok-audiences.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const help = 'ads.tiktok.com/help/article/how-to-create-a-custom-audience-with-a-customer-file'
const mapping = 'ads.tiktok.com/marketing_api/docs?id=1739940585975809'
const segment = 'github.com/segmentio/action-destinations, tiktok-audiences/functions.ts'

/** The hashes of the examples of "List of supported IDs and formats for a customer file". */
const email = 'd6117306485ed0e50afab3ac871e98f81699151f30281527d63ff5f233656c69'
const device = '83dc3f5f32b9472613b0f038d36f22585a609d018af6f6067f50da318bf354bd'
const deviceId = '5f3a2b18-9c4d-4e7f-b8e2-17d3a1e69b25'

/** The example of "Add or delete segment mappings": E.164 with the plus sign. */
const phone = sha256('+1231234567')
const md5 = '5d41402abc4b2a76b9719d911017c592'

const other = '7312345678901234568'
const [atEmail, atSecond] = ['batch_data.0.0.id', 'batch_data.0.1.id']

const shared: readonly WireRow[] = [
  ...rowsFrom(help, [
    ['email', ' JaneDoe@Gmail.com ', atEmail, email, { beside: { phone: '+1231234567' } }],
    ['advertising_id', ` ${deviceId.toUpperCase()}`, atSecond, device],
  ]),
  ...rowsFrom(mapping, [
    ['phone', '+1 (23) 1234-567', atSecond, phone],
    ['country', 'US', atSecond, sha256('+16505551212'), { beside: { phone: '(650)555-1212' } }],
    ['device_type', 'Android', 'id_schema.1', 'AAID_SHA256', { beside: { advertising_id: deviceId } }],
    ['advertising_id', md5.toUpperCase(), 'id_schema.1', 'IDFA_MD5'],
    ['audience_id', other, 'batch_data.0.0.audience_ids', [other]],
    ['settings.audience_id', other, 'batch_data.0.0.audience_ids', [other]],
    ['settings.advertiser_id', advertiser, 'advertiser_ids', [advertiser], { settings: { advertiser_id: '7123456' } }],
  ]),
  ...rowsFrom(segment, [['advertising_id', deviceId, 'id_schema.1', 'IDFA_SHA256']]),
]

const sent = { email, phone, advertising_id: device, device_type: 'AAID_SHA256', country: phone }
const places = { advertising_id: 'batch_data.0.2.id', device_type: 'id_schema.2' }
const ofList: WirePreset = { sent, places }

export const wireCases: WireCases = {
  definition: tiktokAudiences,
  origins: ['https://business-api.tiktok.com'],
  settings: { access_token: token, advertiser_id: advertiser, audience_id: audience },
  vendor: () => {
    const tiktok = createTikTokAudiences()
    tiktok.create(other)
    return tiktok.answer
  },
  record: 'body',
  actions: {
    add_person: {
      base: { email: 'ada@example.com' },
      rows: [...shared, ...rowsFrom('docs/conversions.md, Consent', [['consent', false, '^outcome.kind', 'skipped']])],
    },
    remove_person: { base: { email: 'ada@example.com' }, rows: shared },
  },
  // The event of a connected audience: packages/audiences, `audience-events.ts`, with the traits of the profile.
  common: {
    event: {
      properties: { audience_id: 'a1', audience_title: 'Seen', user_ids: ['u1'], anonymous_ids: [], profile_id: 'p1' },
      context: {
        traits: { email: 'JaneDoe@gmail.com', phone: '+1 231234567', address: { country: 'US' } },
        device: { advertisingId: deviceId },
        os: { name: 'Android' },
        consent: { categoryPreferences: { advertising: true } },
      },
    },
    apart: { consent: 'consent decides whether the person is added' },
  },
  presets: { 'Audience Entered': ofList, 'Audience Exited': ofList },
}
