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
  company_key: setting.text({
    label: 'Property of company IDs',
    help: 'The internal name of a property of companies with unique values, which holds your IDs. Only used by mappings that create companies.',
    default: 'tributary_company_id',
    maxLength: 100,
  }),
  deal_key: setting.text({
    label: 'Property of deal IDs',
    help: 'The internal name of a property of deals with unique values, which holds your IDs. Only used by mappings that create deals.',
    default: 'tributary_deal_id',
    maxLength: 100,
  }),
})

export type HubspotSettings = SettingsOf<typeof settings>
