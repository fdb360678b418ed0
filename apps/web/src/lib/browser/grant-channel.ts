import { storagePrefix } from './storage-prefix.ts'

const name = `${storagePrefix}-grants`

/** Notifies the other windows of this browser that a destination (its resource name) was connected. */
export const announceConnected = (destination: string): void => {
  const channel = new BroadcastChannel(name)
  channel.postMessage(destination)
  channel.close()
}

/** Calls `listener` for each destination that is connected in another window. Call the returned function to stop. */
export const onConnected = (listener: (destination: string) => void): (() => void) => {
  const channel = new BroadcastChannel(name)
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (typeof data === 'string') listener(data)
  })
  return () => channel.close()
}
