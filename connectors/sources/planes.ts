/** A note in guides for RudderStack's SDKs on devices, which request settings before they send. */
export const bothPlanes =
  "Use this server as both the data plane, which receives events, and the control plane, which serves the SDK's settings. Without the control plane URL, the SDK asks RudderStack's server, which doesn't know the key, and sends nothing. Devices refuse plain HTTP unless the app allows it, so use HTTPS outside a simulator."
