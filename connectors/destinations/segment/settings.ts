import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'

export const settings = defineSettings({
  write_key: setting.secret({
    label: 'Write key',
    help: 'The write key of the Segment source. Stored encrypted.',
    required: true,
    maxLength: 200,
    sentTo: [{ setting: 'endpoint', by: 'origin' }],
  }),
  endpoint: setting.url({
    label: 'Endpoint',
    help: 'The URL for batches. Change it for an EU workspace, or for another server with the same API.',
    required: true,
    default: 'https://api.segment.io/v1/batch',
  }),
})

export type SegmentSettings = SettingsOf<typeof settings>
