// What a major upgrade's looks at the cluster find, for tests of the reconcile.
import type { UpgradeJobSeen } from "../../operator/domain/ports";

/** Default of `leadsAlone`: true. */
export interface UpgradeLook {
  job?: UpgradeJobSeen | undefined;
  initialized?: string;
  leadsAlone?: boolean;
  occupants: number;
}
