/** Whether a host name, as written in a URL, always refers to this machine. */
export const isLoopbackHost = (hostname: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname.toLowerCase())
