import { b2bSaas } from './b2b-saas.ts'
import { blank } from './blank.ts'
import { eCommerce } from './e-commerce.ts'
import { finance } from './finance.ts'
import { gaming } from './gaming.ts'
import { marketplace } from './marketplace.ts'
import { media } from './media.ts'
import { mobileApp } from './mobile-app.ts'
import type { Template } from './template.ts'
import { travel } from './travel.ts'

/** The templates for a new source's schema, in display order. The first one is empty. */
export const templates: readonly Template[] = [
  blank,
  eCommerce,
  b2bSaas,
  media,
  marketplace,
  travel,
  finance,
  mobileApp,
  gaming,
]
