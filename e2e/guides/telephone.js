// The parts of a telephone that libraries for React Native use.
export const Platform = {
  OS: 'android',
  /** @param {Record<string, unknown>} choices */
  select: (choices) => choices.android ?? choices.default,
}
export const AppState = { currentState: 'active', addEventListener: () => ({ remove() {} }) }
export const NativeModules = {
  AnalyticsReactNative: {
    getContextInfo: async () => ({
      appName: 'Shop',
      appVersion: '1.0.0',
      buildNumber: '1',
      bundleId: 'com.example.shop',
      locale: 'en-US',
      networkType: 'wifi',
      osName: 'Android',
      osVersion: '15',
      screenHeight: 2400,
      screenWidth: 1080,
      timezone: 'Europe/Berlin',
      manufacturer: 'Google',
      model: 'Pixel',
      deviceName: 'pixel',
      deviceId: 'device-1',
      deviceType: 'android',
    }),
  },
}
