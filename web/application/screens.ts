import type { FunctionComponent } from 'preact'
import { holds, manages, type Viewer } from '../data/viewer.ts'
import type { Texts } from '../texts/en.ts'
import { settingsParts } from '../screens/settings/parts.ts'
import type { IconName } from '../ui/icon.tsx'

/** A screen of the application: where it is, who may open it, and the module that shows it, which is loaded when it is opened. */
export interface Screen {
  readonly path: string
  readonly title: keyof Texts['screens']
  /** A screen with an icon appears in the navigation. */
  readonly icon?: IconName
  /** Shown without a sign-in, or behind it. */
  readonly isPublic?: boolean
  /** Shows figures of the past, which are wrong while the simulated history is generated. */
  readonly hasFigures?: boolean
  /** Fills the screen: no navigation around it. */
  readonly isBare?: boolean
  readonly allows?: (viewer: Viewer) => boolean
  readonly load: () => Promise<{ readonly screen: FunctionComponent }>
}

/** Every screen, in the order of the navigation. */
export const screens: readonly Screen[] = [
  { path: '', title: 'floor', hasFigures: true, icon: 'floor', load: () => import('../screens/floor/floor.tsx') },
  {
    path: 'app/performance',
    title: 'performance',
    hasFigures: true,
    icon: 'chart',
    allows: viewer => holds(viewer, 'reporting'),
    load: () => import('../screens/performance/performance.tsx'),
  },
  {
    path: 'app/downtime',
    title: 'downtime',
    hasFigures: true,
    icon: 'stop',
    allows: viewer => holds(viewer, 'reporting'),
    load: () => import('../screens/downtime/downtime.tsx'),
  },
  {
    path: 'app/quality',
    title: 'quality',
    hasFigures: true,
    icon: 'quality',
    allows: viewer => holds(viewer, 'reporting'),
    load: () => import('../screens/quality/quality.tsx'),
  },
  {
    path: 'app/alarms',
    title: 'alarms',
    hasFigures: true,
    icon: 'alarms',
    allows: viewer => holds(viewer, 'reporting'),
    load: () => import('../screens/alarms/alarms.tsx'),
  },
  {
    path: 'app/machine',
    title: 'machine',
    hasFigures: true,
    icon: 'timeline',
    allows: viewer => holds(viewer, 'reporting'),
    load: () => import('../screens/machine/machine.tsx'),
  },
  {
    path: 'app/wall',
    title: 'wall',
    hasFigures: true,
    icon: 'wall',
    isBare: true,
    load: () => import('../screens/wall/wall.tsx'),
  },
  {
    path: 'app/connect',
    title: 'connect',
    icon: 'connect',
    allows: viewer => holds(viewer, 'machine'),
    load: () => import('../screens/connect/connect.tsx'),
  },
  {
    path: 'app/jobs',
    title: 'jobs',
    hasFigures: true,
    icon: 'jobs',
    allows: viewer => holds(viewer, 'erp.read'),
    load: () => import('../screens/jobs/jobs.tsx'),
  },
  {
    path: 'app/settings',
    title: 'settings',
    icon: 'settings',
    allows: viewer => settingsParts.some(part => part.allows(viewer)),
    load: () => import('../screens/settings/settings.tsx'),
  },
  {
    path: 'app/keys',
    title: 'keys',
    icon: 'keys',
    allows: manages,
    load: () => import('../screens/keys/keys.tsx'),
  },
  {
    path: 'app/developers',
    title: 'developers',
    icon: 'developers',
    load: () => import('../screens/developers/developers.tsx'),
  },
  { path: 'app/account', title: 'account', icon: 'account', load: () => import('../screens/account/account.tsx') },
  {
    path: 'app/sign-in',
    title: 'signIn',
    isPublic: true,
    isBare: true,
    load: () => import('../screens/sign-in/sign-in.tsx'),
  },
  {
    path: 'app/sign-on',
    title: 'signOn',
    isPublic: true,
    isBare: true,
    load: () => import('../screens/sign-in/sign-on.tsx'),
  },
  {
    path: 'app/set-up',
    title: 'setUp',
    isPublic: true,
    isBare: true,
    load: () => import('../screens/set-up/set-up.tsx'),
  },
]
