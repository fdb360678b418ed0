import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'

export const settings = defineSettings({
  access_token: setting.secret({
    label: 'Access token',
    help: 'Of a private app in HubSpot. Stored encrypted.',
    required: true,
    maxLength: 300,
    // The token is always sent to api.hubapi.com, whatever the settings are.
    sentTo: [],
  }),
})

export type HubspotSettings = SettingsOf<typeof settings>
