import { defineDestination } from '@tributary/connector-kit'
import { apiVersions } from '../../wire/conversions/api-version.ts'
import { anyOf, personPlaces as places } from '../../wire/conversions/person-places.ts'
import { addPerson } from './actions/add-person.ts'
import { removePerson } from './actions/remove-person.ts'
import { audienceObject } from './audience-address.ts'
import { deliver, deliverRows, describeRows, testConnection } from './deliver.ts'
import { peopleLists } from './people-lists.ts'
import { check, settings } from './settings.ts'

/** The sources of the data by which people are added and removed. */
const fields = {
  email: places.email,
  phone: places.phone,
  country: places.country,
  advertising_id: anyOf('context.device.advertisingId', 'context.madId'),
  device_type: anyOf('context.os.name', 'context.device.type'),
} as const

const consent = { type: 'FIELD', name: 'context.consent.categoryPreferences.advertising' } as const

/** Limits: "Rate limits" of the API for Business, 10 requests per second for an app. */
export const tiktokAudiences = defineDestination({
  slug: 'tiktok-audiences',
  title: 'TikTok Audiences',
  description: 'Adds people to Custom Audiences for ads on TikTok, and removes them.',
  apiVersion: apiVersions.tiktok,
  docs: {
    url: 'https://business-api.tiktok.com/portal/docs?id=1739940585975809',
    steps: [
      {
        title: 'Create an access token',
        text: 'In the developer portal of **TikTok API for Business**, create an app with the permission **Audience Management**. Authorize it for your ad account, and copy the long-term access token to the settings.',
      },
      {
        title: 'Copy the advertiser ID',
        text: 'In the TikTok Ads Manager, it is in the URL after `aadvid=`.',
      },
      {
        title: 'Create an audience',
        text: 'Select **Create TikTok audience** in the settings of the destination. An audience for this destination is one of the Streaming API, which the Ads Manager cannot create. A sync names it by its ID.',
      },
      {
        title: 'Connect an audience',
        text: 'To follow an audience of Tributary, choose the **Audience for events** in the settings and connect the destination to the audience. **Audience Entered** adds the person, and **Audience Exited** removes the person. Use one destination for each audience, or name the audience in a mapping.',
      },
      {
        title: 'Know what is sent',
        text: 'Email, phone, and mobile advertiser ID are normalized and hashed with SHA-256, unless they are hashes already. A person is removed by the data of the profile at that time, so data that the profile no longer has stays in the audience. A person without consent is not added.',
      },
      {
        title: 'Sync rows',
        text: 'Map one column to `email`, `phone`, `idfa`, or `aaid`, and make it the identifier. To add people by several of them, choose **Audience, additions only**. That object removes no one, because a removal knows the identifier alone.',
      },
      {
        title: 'After a run',
        text: 'TikTok takes up to 48 hours to match people, and never tells who matched. Ads can use an audience once it has 1,000 matched people.',
      },
    ],
  },
  settings,
  check,
  category: 'Advertising',
  kinds: ['Event Streams', 'Reverse ETL'],
  auth: 'key',
  objects: [
    {
      name: 'people',
      title: 'People',
      description: 'People of an audience.',
      syncModes: ['UPSERT_ONLY'],
      identifiers: [{ target: 'email' }, { target: 'phone' }, { target: 'advertising_id' }],
      actions: ['add_person', 'remove_person'],
    },
  ],
  actions: [addPerson, removePerson],
  presets: [
    // A connected audience sends these events for each person who enters or leaves it.
    { eventName: 'Audience Entered', eventType: 'track', action: 'add_person', fields: { ...fields, consent } },
    { eventName: 'Audience Exited', eventType: 'track', action: 'remove_person', fields },
  ],
  batching: () => ({ maxEvents: 1000, maxBytes: 1024 * 1024, maxWaitMs: 10_000 }),
  rate: () => ({ requests: 10, perMs: 1000 }),
  // Two requests at once could overtake each other.
  concurrency: 1,
  testConnection,
  deliver,
  deliverRows,
  describeRows,
  peopleLists,
  rowObjects: [
    {
      name: 'custom_audience',
      title: 'Audience',
      description: 'Its ID, such as 7312345678901234567. Each row is a person, found by the identifier alone.',
      syncModes: ['FULL_SYNC', 'UPSERT_ONLY'],
      address: ({ name, identifier }) => audienceObject({ id: name, identifier, adds: false }),
    },
    {
      name: 'custom_audience_additions',
      title: 'Audience, additions only',
      description: 'Its ID. Each row is a person, found by every column. No one is removed.',
      syncModes: ['UPSERT_ONLY'],
      address: ({ name, identifier }) => audienceObject({ id: name, identifier, adds: true }),
    },
  ],
})
