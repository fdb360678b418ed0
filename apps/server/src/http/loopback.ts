/** Whether this name of a host, as it stands in a URL, never leads off the machine. */
export const isLoopbackHost = (hostname: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname.toLowerCase())
