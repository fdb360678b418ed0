import { type ClientConfig, configCall, isClientConfig } from '@tributary/contract'
import { useEffect } from 'react'
import { create } from 'zustand'
import { ask } from './api/client.ts'

type Known = {
  /** What is configured on the server, once it has said so. */
  config: ClientConfig | undefined
  /** Why it could not be read the last time. */
  failure: unknown
}

/** What is known of the server's configuration. It is no query of the cache: the sign-in page has none. */
export const useKnownConfig = create<Known>(() => ({ config: undefined, failure: undefined }))

let reading: Promise<void> | undefined

const read = async (): Promise<void> => {
  try {
    const config = await ask(configCall, {}, (json) => (isClientConfig(json) ? json : undefined))
    useKnownConfig.setState({ config, failure: undefined })
  } catch (failure) {
    useKnownConfig.setState({ failure })
  } finally {
    reading = undefined
  }
}

/** Reads what is configured, unless it is known; once for all who ask meanwhile. Never throws. */
export const readConfig = (): Promise<void> => {
  if (useKnownConfig.getState().config !== undefined) return Promise.resolve()
  reading ??= read()
  return reading
}

/** What is configured on the server, undefined until it has said so. One that could not be read is not asked again. */
export const useConfig = (): ClientConfig | undefined => {
  const { config, failure } = useKnownConfig()
  useEffect(() => {
    if (failure === undefined) void readConfig()
  }, [failure])
  return config
}
