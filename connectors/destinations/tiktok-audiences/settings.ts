import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { withoutConsent } from '../../wire/conversions/consent-setting.ts'
import { checkDefaults, defaultCountrySetting } from '../../wire/conversions/default-settings.ts'

export const settings = defineSettings({
  access_token: setting.secret({
    label: 'Access token',
    help: 'Of an app of the API for Business that may manage audiences. Stored encrypted.',
    required: true,
    // The token is always sent to business-api.tiktok.com, whatever the settings are.
    sentTo: [],
  }),
  advertiser_id: setting.text({
    label: 'Advertiser ID',
    help: 'The number of the ad account that has the audiences.',
    required: true,
    maxLength: 30,
  }),
  audience_id: setting.text({
    label: 'Audience for events',
    help: 'The ID of the audience that people of events are added to and removed from. Syncs name their own.',
    maxLength: 30,
  }),
  without_consent: withoutConsent,
  ...defaultCountrySetting,
})

export type TikTokAudienceSettings = SettingsOf<typeof settings>

/** Whether a text is the number of an ad account or an audience. */
export const isNumber = (entered: string): boolean => /^\d{5,30}$/.test(entered.trim())

/** Checks rules that span several settings. */
export const check = ({
  advertiser_id,
  audience_id,
  ...others
}: Partial<TikTokAudienceSettings>): Record<string, string> => ({
  ...(advertiser_id === undefined || isNumber(advertiser_id)
    ? {}
    : { advertiser_id: 'Enter the number of the ad account, such as 7123456789012345678' }),
  ...(audience_id === undefined || isNumber(audience_id)
    ? {}
    : { audience_id: 'Enter the ID of an audience, such as 7312345678901234567' }),
  ...checkDefaults(others),
})
