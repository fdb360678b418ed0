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
})

export type RudderstackSettings = SettingsOf<typeof settings>
