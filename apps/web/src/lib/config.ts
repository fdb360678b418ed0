import { type ClientConfig, configCall, isClientConfig } from '@tributary/contract'
import { useEffect } from 'react'
import { create } from 'zustand'
import { ask } from './api/client.ts'

type Known = {
  /** The configuration of the server; undefined until it is loaded. */
  config: ClientConfig | undefined
  /** The error of the last failed attempt to load the configuration. */
  failure: unknown
}

/** The last known configuration of the server. It is outside of the query cache, because the sign-in page has none. */
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

/** Loads the configuration unless it is known, once for all simultaneous callers. Never throws. */
export const readConfig = (): Promise<void> => {
  if (useKnownConfig.getState().config !== undefined) return Promise.resolve()
  reading ??= read()
  return reading
}

/** Returns the configuration of the server; undefined until it is loaded. After a failure, it is not loaded again. */
export const useConfig = (): ClientConfig | undefined => {
  const { config, failure } = useKnownConfig()
  useEffect(() => {
    if (failure === undefined) void readConfig()
  }, [failure])
  return config
}
