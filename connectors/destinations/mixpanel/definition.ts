import { defineDestination, type MappingPreset } from '@tributary/connector-kit'
import { alias } from './actions/alias.ts'
import { group } from './actions/group.ts'
import { identify } from './actions/identify.ts'
import { track } from './actions/track.ts'
import { trackPurchase } from './actions/track-purchase.ts'
import { deleteUsers } from './delete-users.ts'
import { deliver, testConnection } from './deliver.ts'
import { settings } from './settings.ts'

const field = (name: string) => ({ type: 'FIELD', name }) as const
const template = (value: string) => ({ type: 'TEMPLATE', value }) as const

const who = { user_id: field('userId'), anonymous_id: field('anonymousId') }
const when = {
  message_id: { type: 'VARIABLE', name: 'message_id' },
  time: { type: 'VARIABLE', name: 'timestamp' },
} as const

/** The fields of page, device and campaign that libraries send (Segment spec, common fields). */
const context = {
  properties: field('properties'),
  event_groups: field('context.groupId'),
  ip: field('context.ip'),
  current_url: field('context.page.url'),
  referrer: field('context.page.referrer'),
  user_agent: field('context.userAgent'),
  os: field('context.os.name'),
  os_version: field('context.os.version'),
  device_model: field('context.device.model'),
  device_manufacturer: field('context.device.manufacturer'),
  app_version: field('context.app.version'),
  library: field('context.library.name'),
  utm_source: field('context.campaign.source'),
  utm_medium: field('context.campaign.medium'),
  utm_campaign: field('context.campaign.name'),
  utm_term: field('context.campaign.term'),
  utm_content: field('context.campaign.content'),
}

const presets: readonly MappingPreset[] = [
  {
    since: 2,
    eventName: 'Order Completed',
    eventType: 'track',
    action: 'track_purchase',
    fields: { event: field('event'), ...who, ...when, ...context },
  },
  { eventType: 'track', action: 'track', fields: { event: field('event'), ...who, ...when, ...context } },
  {
    eventType: 'page',
    action: 'track',
    fields: {
      event: template('{% if event == "" %}Page Viewed{% else %}Viewed {{ event }} Page{% endif %}'),
      ...who,
      ...when,
      ...context,
    },
  },
  {
    eventType: 'screen',
    action: 'track',
    fields: {
      event: template('{% if event == "" %}Screen Viewed{% else %}Viewed {{ event }} Screen{% endif %}'),
      ...who,
      ...when,
      ...context,
    },
  },
  {
    eventType: 'identify',
    action: 'identify',
    fields: { ...who, ...when, traits: field('traits'), ip: field('context.ip') },
  },
  {
    eventType: 'group',
    action: 'group',
    fields: { group_id: field('groupId'), ...who, traits: field('traits') },
  },
  {
    eventType: 'alias',
    action: 'alias',
    fields: { user_id: field('userId'), previous_id: field('previousId'), ...when },
  },
]

/**
 * Limits: Mixpanel, "Import Events": 2,000 events and 10 MB uncompressed a request, 2 GB or about 1.8 million events a
 * minute, 10 to 20 clients at once; "Update Multiple Profiles": 2,000 profiles a request. Events can be of any age.
 */
export const mixpanel = defineDestination({
  slug: 'mixpanel',
  title: 'Mixpanel',
  description: 'Sends events, user profiles, and group profiles to a Mixpanel project.',
  docs: {
    url: 'https://docs.mixpanel.com/reference/import-events',
    steps: [
      {
        title: 'Copy the project token',
        text: 'In Mixpanel, open **Settings, Project Settings**. The **Project Token** is under **Access Keys**. Tributary stores it encrypted. No service account is needed.',
      },
      {
        title: 'Choose where your project is stored',
        text: 'The same page shows **Data Residency**. A token is known only there.',
      },
      {
        title: 'Check how IDs are merged',
        text: 'Open **Settings, Project Settings, Identity Merge**. With **Simplified**, an event that has both a user ID and an anonymous ID connects the two. With **Original**, identify calls merge them.',
      },
      {
        title: 'Know what is sent',
        text: 'Track, page, and screen calls become events with their properties, page, device, and campaign. Browser, system, and device are read from the user agent. The group in `context.groupId` becomes the group key of the event. **Order Completed** also sends one event **Product Purchased** for each product. Identify sets the profile of the user, and group that of the group, for which your Mixpanel plan needs Group Analytics. Alias merges two IDs. Change any of this on the **Mappings** tab.',
      },
      {
        title: 'Change profiles',
        text: 'In a mapping of track or identify calls, map an object to **Increment**, **Set once**, **Append**, or **Add to lists**, or an amount to **Transaction**. Mixpanel cannot recognize a repeated change: if its answer to an increment, append, or transaction is lost, the change is sent again and counts twice. So does a change beside a refused one of these kinds in the same event, if you retry the event. Mixpanel’s own library no longer sends transactions for its revenue reports, so use **Product Purchased** or a property with the amount.',
      },
      {
        title: 'Delete users',
        text: 'To delete users in Mixpanel when they are deleted in Tributary, open **Profile & Preferences, Data & Privacy** in Mixpanel, create an OAuth token for the GDPR API, and enter it here. It is valid for one year. Mixpanel needs up to 30 days to delete events and profile.',
      },
      {
        title: 'Avoid duplicates',
        text: "Don't connect sources whose site or app already sends to Mixpanel, or their events are counted twice. Retried events keep their message ID, so Mixpanel counts them once.",
      },
      {
        title: 'See what Mixpanel refuses',
        text: 'Mixpanel checks each event. What it refuses is a dead letter with its reason, such as a time more than one hour ahead or a placeholder like `anonymous` as user ID. The other events of the batch are kept.',
      },
    ],
  },
  settings,
  category: 'Analytics',
  popular: true,
  kinds: ['Event Streams'],
  auth: 'key',
  objects: [
    {
      name: 'events',
      title: 'Events',
      description: 'One event per track, page, or screen call, and one per purchased product.',
      syncModes: ['INSERT_ONLY'],
      identifiers: [{ event: 'messageId' }],
      actions: ['track', 'track_purchase'],
    },
    {
      name: 'users',
      title: 'User profiles',
      description: 'One profile per user, with the latest traits.',
      syncModes: ['UPSERT_ONLY'],
      identifiers: [{ event: 'userId' }],
      actions: ['identify', 'alias'],
    },
    {
      name: 'groups',
      title: 'Group profiles',
      description: 'One profile per company, team, or account, with the latest traits.',
      syncModes: ['UPSERT_ONLY'],
      identifiers: [{ target: 'group_id' }],
      actions: ['group'],
    },
  ],
  actions: [track, trackPurchase, identify, group, alias],
  presets,
  batching: () => ({ maxEvents: 1000, maxBytes: 2 * 1024 * 1024, maxWaitMs: 1000 }),
  rate: () => ({ requests: 30, perMs: 1000 }),
  concurrency: 10,
  testConnection,
  deliver,
  deliverRows: deleteUsers,
  deletesUsers: ({ gdpr_token: token }) => (token === undefined ? 'no GDPR API token' : undefined),
})
