import { defineDestination } from '@tributary/connector-kit'
import { apiVersions } from '../../wire/conversions/api-version.ts'
import { anyOf, personPlaces as places } from '../../wire/conversions/person-places.ts'
import { addPerson } from './actions/add-person.ts'
import { removePerson } from './actions/remove-person.ts'
import { deliver, testConnection } from './deliver.ts'
import { peopleLists } from './people-lists.ts'
import { check, oauth2, settings } from './settings.ts'

const field = (name: string) => ({ type: 'FIELD', name }) as const

/** The sources of the data by which people are added and removed. The type of the list decides which is sent. */
const fields = {
  email: places.email,
  phone: places.phone,
  first_name: places.firstName,
  last_name: places.lastName,
  country: places.country,
  postal_code: places.postalCode,
  mobile_id: anyOf('context.device.advertisingId', 'context.madId'),
  user_id: field('userId'),
} as const

const consent = field('context.consent.categoryPreferences.advertising')

/**
 * Limits: "IngestAudienceMembersRequest" of the Data Manager API: 10,000 people in a request, "Limits and quotas": 300
 * requests a minute.
 */
export const googleCustomerMatch = defineDestination({
  slug: 'google-customer-match',
  title: 'Google Customer Match',
  description: 'Adds people to customer lists of Google Ads, and removes them.',
  apiVersion: apiVersions.google,
  docs: {
    url: 'https://developers.google.com/data-manager/api/devguides/audiences/google-ads/customer-match',
    steps: [
      {
        title: 'Create an OAuth client',
        text: 'In Google Cloud, enable the **Data Manager API** for a project, configure the consent screen, and create an OAuth client of the type **Web application**. As the redirect URI, enter the redirect URL that the destination shows. Copy the client ID and the client secret to the settings. A developer token is not needed.',
        code: 'https://www.googleapis.com/auth/datamanager',
        language: 'text',
      },
      {
        title: 'Accept the terms',
        text: 'Accept the **Customer Match terms** in Google Ads, and turn on the setting. Google takes no one without it.',
      },
      {
        title: 'Connect an account',
        text: 'Select **Connect** and sign in with an account that can edit the Google Ads account. If its access is through a manager account, enter that one, too.',
      },
      {
        title: 'Choose a customer list',
        text: 'After connecting, choose a list in the settings, or select **Create customer list**. Google fixes whether a list has contacts, mobile IDs, or user IDs: choose the type first. A list of mobile IDs belongs to an app: enter its ID and its system in the settings before you create the list.',
      },
      {
        title: 'Connect an audience',
        text: 'Connect the destination to an audience. **Audience Entered** adds the person, and **Audience Exited** removes the person. Use one destination for each list, or name the list in a mapping.',
      },
      {
        title: 'Know what is sent',
        text: 'Email, phone, and names are normalized and hashed with SHA-256. Google takes a name only with country and postal code, which are not hashed. A person is removed by the data of the profile at that time, so data that the profile no longer has stays in the list until Google ends its membership.',
      },
      {
        title: 'Know about consent',
        text: 'A person without consent is not added. For people in the EEA, Google needs consent to ad user data and to personalized ads: map both, because an audience event has no consent of its own.',
      },
      {
        title: 'See the match rate',
        text: 'The settings show the match rate and the size that Google reports for the list. Google needs some time to match new people. The match rate and the errors of single uploads (`requestStatus:retrieve`) are not read, because request IDs are not stored.',
      },
    ],
  },
  settings,
  check,
  category: 'Advertising',
  kinds: ['Event Streams'],
  auth: 'oauth2',
  oauth2,
  objects: [
    {
      name: 'people',
      title: 'People',
      description: 'People of a customer list.',
      syncModes: ['UPSERT_ONLY'],
      identifiers: [{ target: 'email' }, { target: 'phone' }, { target: 'mobile_id' }, { target: 'user_id' }],
      actions: ['add_person', 'remove_person'],
    },
  ],
  actions: [addPerson, removePerson],
  presets: [
    // A connected audience sends these events for each person who enters or leaves it.
    {
      eventName: 'Audience Entered',
      eventType: 'track',
      action: 'add_person',
      fields: { ...fields, ad_user_data: consent, ad_personalization: consent },
    },
    { eventName: 'Audience Exited', eventType: 'track', action: 'remove_person', fields },
  ],
  batching: () => ({ maxEvents: 10_000, maxBytes: 4 * 1024 * 1024, maxWaitMs: 10_000 }),
  rate: () => ({ requests: 200, perMs: 60_000 }),
  concurrency: 1,
  testConnection,
  deliver,
  peopleLists,
})
