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
  public_api_token: setting.secret({
    label: 'Public API token',
    help: 'If set, users who are deleted in Tributary are deleted in Segment, too. Stored encrypted.',
    maxLength: 500,
    sentTo: [{ setting: 'public_api_url', by: 'origin' }],
  }),
  public_api_url: setting.url({
    label: 'Public API URL',
    help: 'Only used to delete users. For an EU workspace: https://eu1.api.segmentapis.com.',
    required: true,
    default: 'https://api.segmentapis.com',
  }),
})

export type SegmentSettings = SettingsOf<typeof settings>
