import { startTag, type TagConfig } from './tag.ts'

/** The server replaces this text by the source of the tag and the URL that the tag was loaded from. */
declare const __TRIBUTARY_TAG__: TagConfig

const config = __TRIBUTARY_TAG__
const script = document.currentScript
// The origin of the script's URL, which can be on the site's own domain, takes precedence over the origin that the
// server assumed.
const address = script instanceof HTMLScriptElement ? /^https?:\/\/[^/]+/.exec(script.src)?.[0] : undefined
startTag({ ...config, origin: address ?? config.origin })
