import {
  token as adsToken,
  conversionAction,
  createGoogleAds,
  customer,
} from '@tributary/connectors/testing/google-ads'
import { createAnalytics, measurement, origins, secret } from '@tributary/connectors/testing/google-analytics'
import { code, createGoogleTokens, client as googleClient } from '@tributary/connectors/testing/google-oauth2'
import {
  createMetaConversions,
  pixel as metaPixel,
  token as metaToken,
} from '@tributary/connectors/testing/meta-conversions'
import { createTikTok, pixel as tiktokPixel, token as tiktokToken } from '@tributary/connectors/testing/tiktok'
import { type Product, startVendorPeers, type VendorAnswer, type VendorAsked } from '@tributary/test-kit'

/** The app and the settings of a destination of each vendor. */
const vendorDestinations = [
  { app: 'meta-conversions', settings: { pixel_id: metaPixel, access_token: metaToken } },
  { app: 'tiktok-events', settings: { pixel_code: tiktokPixel, access_token: tiktokToken } },
  {
    app: 'google-analytics',
    settings: { measurement_id: measurement, api_secret: secret, region: 'global' },
  },
  {
    app: 'google-ads',
    settings: { customer_id: customer, conversion_action_id: conversionAction, ...googleClient },
  },
] as const

type App = (typeof vendorDestinations)[number]['app']

/**
 * Connects a destination to Google without opening the consent page, by completing the connection with the code that
 * the page would return.
 */
const permit = async ({ api, url }: Pick<Product, 'api' | 'url'>, destination: string): Promise<void> => {
  const redirect_uri = `${url}/destination-oauth-callback`
  const { authorize_url } = await api.ok('POST', `/${destination}:connect`, { redirect_uri })
  const state = new URL(String(authorize_url)).searchParams.get('state')
  await api.ok('POST', `/${destination}:completeConnect`, { code, state })
}

/**
 * Creates a destination of each vendor under these titles, with a grant if it needs one. Returns their names, in the
 * order of the titles.
 */
export const makeVendorDestinations = async (
  product: Pick<Product, 'api' | 'url'>,
  workspace: string,
  titles: Readonly<Record<App, string>>,
): Promise<string[]> => {
  const names: string[] = []
  for (const { app, settings } of vendorDestinations) {
    const given = { title: titles[app], app: { name: `catalogDestinations/${app}` }, settings }
    const name = String((await product.api.ok('POST', `/${workspace}/destinations`, given)).name)
    if (app === 'google-ads') await permit(product, name)
    names.push(name)
  }
  return names
}

/**
 * Starts peers that replace Meta, TikTok, Google Analytics and Google Ads, and enforce the documented rules of these
 * vendors.
 */
export const startVendors = async () => {
  const meta = createMetaConversions()
  const tiktok = createTikTok()
  const analytics = createAnalytics()
  const ads = createGoogleAds()
  const tokens = createGoogleTokens(adsToken)
  /** The raw body of every request with conversions. */
  const bodies: string[] = []
  const noting =
    (answer: (asked: VendorAsked) => VendorAnswer) =>
    (asked: VendorAsked): VendorAnswer => {
      if (asked.text !== '') bodies.push(asked.text)
      return answer(asked)
    }
  const peers = await startVendorPeers({
    'graph.facebook.com': noting(meta.answer),
    'business-api.tiktok.com': noting(tiktok.answer),
    ...Object.fromEntries(origins.map((origin) => [new URL(origin).host, noting(analytics.answer)])),
    'datamanager.googleapis.com': noting(ads.answer),
    'oauth2.googleapis.com': tokens.answer,
  })
  return { meta, tiktok, analytics, ads, bodies, ...peers }
}
