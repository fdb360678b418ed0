import type { SourceDefinition } from '@tributary/connector-kit'
import { analyticsNode } from './analytics-node/source.ts'
import { dotnet } from './dotnet/source.ts'
import { flutter } from './flutter/source.ts'
import { go } from './go/source.ts'
import { http } from './http/source.ts'
import { java } from './java/source.ts'
import { javascript } from './javascript/source.ts'
import { kotlin } from './kotlin/source.ts'
import { node } from './node/source.ts'
import { php } from './php/source.ts'
import { pixel } from './pixel/source.ts'
import { python } from './python/source.ts'
import { reactNative } from './react-native/source.ts'
import { ruby } from './ruby/source.ts'
import { rudderstackAndroid } from './rudderstack-android/source.ts'
import { rudderstackFlutter } from './rudderstack-flutter/source.ts'
import { rudderstackForward } from './rudderstack-forward/source.ts'
import { rudderstackGo } from './rudderstack-go/source.ts'
import { rudderstackIos } from './rudderstack-ios/source.ts'
import { rudderstackJava } from './rudderstack-java/source.ts'
import { rudderstackJavascript } from './rudderstack-javascript/source.ts'
import { rudderstackNode } from './rudderstack-node/source.ts'
import { rudderstackPython } from './rudderstack-python/source.ts'
import { rudderstackReactNative } from './rudderstack-react-native/source.ts'
import { segmentForward } from './segment-forward/source.ts'
import { shopify } from './shopify/source.ts'
import { stripe } from './stripe/source.ts'
import { swift } from './swift/source.ts'
import { webhook } from './webhook/source.ts'

/** What a source can be made of, in the order the catalogue shows it. */
export const sourceDefinitions: readonly SourceDefinition[] = [
  javascript,
  pixel,
  rudderstackJavascript,
  swift,
  kotlin,
  reactNative,
  flutter,
  rudderstackIos,
  rudderstackAndroid,
  rudderstackReactNative,
  rudderstackFlutter,
  http,
  node,
  analyticsNode,
  python,
  go,
  java,
  dotnet,
  php,
  ruby,
  rudderstackNode,
  rudderstackPython,
  rudderstackGo,
  rudderstackJava,
  segmentForward,
  rudderstackForward,
  stripe,
  shopify,
  webhook,
]
