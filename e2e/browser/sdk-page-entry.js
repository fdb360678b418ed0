import { RudderAnalytics } from '@rudderstack/analytics-js/bundled'
import { AnalyticsBrowser } from '@segment/analytics-next'

window.segment = AnalyticsBrowser
window.rudder = RudderAnalytics
