/** For RudderStack's SDKs on devices, which ask for settings before they send. */
export const bothPlanes =
  "Both the data plane and the control plane are this server: one takes events, the other gives the settings the SDK asks for at start. Without the second address it asks RudderStack's server, which does not know the key, and sends nothing. Devices refuse plain http unless the app allows it, so use https outside of a simulator."
