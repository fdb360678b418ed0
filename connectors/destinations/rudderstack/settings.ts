import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'

export const settings = defineSettings({
  data_plane_url: setting.url({
    label: 'Data plane URL',
    help: 'For example https://your-name.dataplane.rudderstack.com.',
    required: true,
  }),
  write_key: setting.secret({
    label: 'Write key',
    help: 'The write key of the RudderStack source. Stored encrypted.',
    required: true,
    maxLength: 200,
    sentTo: [{ setting: 'data_plane_url', by: 'origin' }],
  }),
  access_token: setting.secret({
    label: 'Service access token',
    help: 'If set with destination IDs, users who are deleted in Tributary are deleted and suppressed in RudderStack, too. Stored encrypted.',
    maxLength: 500,
    sentTo: [{ setting: 'api_url', by: 'origin' }],
  }),
  destination_ids: setting.text({
    label: 'Destination IDs',
    help: 'The RudderStack destinations to delete users from, separated by commas.',
  }),
  api_url: setting.url({
    label: 'API URL',
    help: 'Only used to delete users. For the EU region: https://api.eu.rudderstack.com.',
    required: true,
    default: 'https://api.rudderstack.com',
  }),
})

export type RudderstackSettings = SettingsOf<typeof settings>
