import { defineDestination } from '@tributary/connector-kit'
import { apiVersions } from '../../wire/conversions/api-version.ts'
import { personPlaces as places } from '../../wire/conversions/person-places.ts'
import { addPerson } from './actions/add-person.ts'
import { removePerson } from './actions/remove-person.ts'
import { audienceObject } from './audience-address.ts'
import { deliver, deliverRows, describeRows, testConnection } from './deliver.ts'
import { peopleLists } from './people-lists.ts'
import { check, settings } from './settings.ts'

const userId = { type: 'FIELD', name: 'userId' } as const

/** The sources of the fields by which people are matched. */
const fields = {
  extern_id: userId,
  email: places.email,
  phone: places.phone,
  fn: places.firstName,
  ln: places.lastName,
  ct: places.city,
  st: places.state,
  zip: places.postalCode,
  country: places.country,
  gen: places.gender,
  dobd: places.birthday,
}

/**
 * Limits: "Custom Audiences": 10,000 people in a request. "Rate Limits": at least 5,000 requests in an hour for an ad
 * account. Meta does not list the people of a Custom Audience, so updates and inserts are not possible.
 */
export const metaCustomAudiences = defineDestination({
  slug: 'meta-custom-audiences',
  title: 'Meta Custom Audiences',
  description: 'Adds people to Custom Audiences for ads on Facebook and Instagram, and removes them.',
  apiVersion: apiVersions.meta,
  docs: {
    url: 'https://developers.facebook.com/docs/marketing-api/audiences/guides/custom-audiences',
    steps: [
      {
        title: 'Create an access token',
        text: 'In the Business settings of Meta, create a **system user**, assign the ad account to it, and generate a token of your app with the permission `ads_management`. Accept the Custom Audience terms for the ad account.',
        code: 'ads_management',
        language: 'text',
      },
      {
        title: 'Create a Custom Audience',
        text: 'Select **Create Custom Audience** in the settings of the destination, or create one from a customer list in **Audiences** of the Ads Manager. A sync names it by its ID, which is in the URL of the audience.',
      },
      {
        title: 'Map columns',
        text: 'Map columns to `email`, `phone`, `fn`, `ln`, `ct`, `st`, `zip`, `country`, `gen`, `doby`, `dobm`, `dobd`, `madid`, or `extern_id`. The more of them, the more people match. Phone numbers need the country code, or the country in another column. Values are normalized and hashed with SHA-256 before they are sent, unless they are hashes already. `extern_id` and `madid` are sent as they are. For a value-based audience, map the value of a person to `lookalike_value`, a number that is not negative.',
      },
      {
        title: 'Choose an identifier',
        text: 'Use your own ID of a person as `extern_id`. People are removed by it, whatever they were matched by. With another identifier, such as `email`, its hash is the external ID.',
      },
      {
        title: 'Connect an audience',
        text: 'To follow an audience of Tributary, choose the **Custom Audience for events** in the settings and connect the destination to the audience. **Audience Entered** adds the person, and **Audience Exited** removes the person, both by the user ID. A profile without a user ID is not added. Disable the mapping for **identify** if only people of the audience belong there.',
      },
      {
        title: 'After a run',
        text: 'Meta takes up to 24 hours to match people, and never tells who matched. It shows the size of the audience once it has enough people.',
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
      description: 'People of a Custom Audience, by your own ID.',
      syncModes: ['UPSERT_ONLY'],
      identifiers: [{ target: 'extern_id' }],
      actions: ['add_person', 'remove_person'],
    },
  ],
  actions: [addPerson, removePerson],
  presets: [
    { eventType: 'identify', action: 'add_person', fields },
    // A connected audience sends these events for each person who enters or leaves it.
    {
      eventName: 'Audience Entered',
      eventType: 'track',
      action: 'add_person',
      since: 2,
      fields,
    },
    {
      eventName: 'Audience Exited',
      eventType: 'track',
      action: 'remove_person',
      since: 2,
      fields: { extern_id: userId },
    },
  ],
  batching: () => ({ maxEvents: 10_000, maxBytes: 4 * 1024 * 1024, maxWaitMs: 10_000 }),
  rate: () => ({ requests: 60, perMs: 60_000 }),
  concurrency: 2,
  testConnection,
  deliver,
  deliverRows,
  describeRows,
  peopleLists,
  rowObjects: [
    {
      name: 'custom_audience',
      title: 'Custom Audience',
      description: 'Its ID, such as 23847000000000000. Each row is a person.',
      syncModes: ['FULL_SYNC', 'UPSERT_ONLY'],
      address: ({ name, identifier }) => audienceObject({ id: name, identifier }),
    },
  ],
})
