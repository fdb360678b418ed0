import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { checkDefaults, defaultCountrySetting } from '../../wire/conversions/default-settings.ts'

export const settings = defineSettings({
  access_token: setting.secret({
    label: 'Access token',
    help: 'Of a system user of your business, with the permission ads_management. Stored encrypted.',
    required: true,
    // The token is always sent to graph.facebook.com, whatever the settings are.
    sentTo: [],
  }),
  ad_account_id: setting.text({
    label: 'Ad account ID',
    help: 'The number of the ad account that has the Custom Audiences.',
    required: true,
    maxLength: 50,
  }),
  audience_id: setting.text({
    label: 'Custom Audience for events',
    help: 'The ID of the Custom Audience that people of events are added to and removed from. Syncs name their own.',
    maxLength: 50,
  }),
  ...defaultCountrySetting,
})

export type MetaSettings = SettingsOf<typeof settings>

const idForm = /^[0-9]{5,30}$/

/** Returns the digits of an ad account ID, in whatever form it was entered. */
export const adAccountOf = (entered: string): string => entered.trim().replace(/^act_/, '')

/** Whether a text is the ID of a Custom Audience. */
export const isAudience = (entered: string): boolean => idForm.test(entered.trim())

/** Checks rules that span several settings. */
export const check = ({ ad_account_id, audience_id, ...others }: Partial<MetaSettings>): Record<string, string> => ({
  ...(ad_account_id === undefined || idForm.test(adAccountOf(ad_account_id))
    ? {}
    : { ad_account_id: 'Enter the number of the ad account, such as 123456789012345' }),
  ...(audience_id === undefined || isAudience(audience_id)
    ? {}
    : { audience_id: 'Enter the ID of a Custom Audience, such as 23847000000000000' }),
  ...checkDefaults(others),
})
