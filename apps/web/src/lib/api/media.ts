/** Where relative media paths lie: below this path of the same origin unless the build was given another address. */
const configured = {
  base: import.meta.env.VITE_MEDIA_BASE ?? '/',
  buildHash: import.meta.env.VITE_BUILD_HASH ?? '',
}

/** The largest sides (CSS pixels) of a picture that is asked for. */
export type MediaSize = { maxHeight: number; maxWidth: number }

/**
 * The address of a picture. A path is put behind the base address; an address that is one already (http…, data:, blob:)
 * is left alone. With a size a path asks for a picture no larger than that, and with a build hash it carries the hash, so
 * that a new build is not answered from an old cache. No path, no address.
 */
export const mediaUrl = (
  path: string,
  size?: MediaSize,
  { base, buildHash }: { base: string; buildHash: string } = configured,
): string => {
  if (path === '' || /^(http|data:|blob:)/i.test(path)) return path
  const query = new URLSearchParams()
  if (size !== undefined) {
    query.set('max-h', String(size.maxHeight))
    query.set('max-w', String(size.maxWidth))
    if (buildHash !== '') query.set('hash', buildHash)
  }
  const address = `${base.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`
  const text = query.toString()
  return text === '' ? address : `${address}${address.includes('?') ? '&' : '?'}${text}`
}
