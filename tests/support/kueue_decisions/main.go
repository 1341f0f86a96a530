// Decides about workloads with the flavor assigner and the preemptor of Kueue.
//
// Standard input has one case in JSON for each line: the objects of Kueue, and the workloads in the order in which they
// come. Standard output has one line for each case: for each workload its flavors, and the workloads that end for it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	config "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/metrics"
	"sigs.k8s.io/kueue/pkg/resources"
	"sigs.k8s.io/kueue/pkg/scheduler/flavorassigner"
	"sigs.k8s.io/kueue/pkg/scheduler/preemption"
	expectations "sigs.k8s.io/kueue/pkg/scheduler/preemption/expectations"
	utiltesting "sigs.k8s.io/kueue/pkg/util/testing"
	"sigs.k8s.io/kueue/pkg/workload"
)

type problem struct {
	Flavors   []*kueue.ResourceFlavor
	Cohorts   []*kueue.Cohort
	Queues    []*kueue.ClusterQueue
	Workloads []arrival
}

type arrival struct {
	Queue    kueue.ClusterQueueReference
	Workload *kueue.Workload
}

type decision struct {
	Flavors map[string]map[string]string `json:"flavors"`
	Ended   []string                     `json:"ended"`
	Message string                       `json:"message"`
}

func main() {
	ctrl.SetLogger(logr.Discard())
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var given problem
		fail(json.Unmarshal(lines.Bytes(), &given))
		fail(out.Encode(decide(&given)))
	}
	fail(lines.Err())
}

func decide(given *problem) []decision {
	ctx, log := context.Background(), logr.Discard()
	client := utiltesting.NewFakeClient()
	cache := schdcache.New(client)
	for _, flavor := range given.Flavors {
		cache.AddOrUpdateResourceFlavor(log, flavor)
	}
	for _, cohort := range given.Cohorts {
		fail(cache.AddOrUpdateCohort(cohort))
	}
	for _, queue := range given.Queues {
		fail(cache.AddClusterQueue(ctx, queue))
	}
	preemptor := preemption.New(client, workload.Ordering{}, &utiltesting.EventRecorder{}, nil, false, clock.RealClock{},
		nil, expectations.New(), metrics.NewCustomLabels(nil))
	found := []decision{}
	for cycle, one := range given.Workloads {
		snapshot, err := cache.Snapshot(ctx)
		fail(err)
		info := workload.NewInfo(one.Workload)
		info.ClusterQueue = one.Queue
		queue := snapshot.ClusterQueue(one.Queue)
		if queue == nil {
			fail(fmt.Errorf("queue %s is not active", one.Queue))
		}
		assigner := flavorassigner.New(info, queue, snapshot.ResourceFlavors, false,
			preemption.NewOracle(preemptor, snapshot), nil, config.QuotaCheckBlockUndeclared,
			resources.NewResourceFormatter(), int64(cycle+1))
		assignment := assigner.Assign(ctx, nil)
		result := decision{Ended: []string{}, Message: assignment.Message()}
		mode := assignment.RepresentativeMode()
		if mode == flavorassigner.Preempt {
			for _, target := range preemptor.GetTargets(ctx, *info, assignment, snapshot) {
				result.Ended = append(result.Ended, target.WorkloadInfo.Obj.Name)
				fail(cache.DeleteWorkload(log, workload.Key(target.WorkloadInfo.Obj)))
			}
		}
		if mode == flavorassigner.Fit || len(result.Ended) > 0 {
			result.Flavors = map[string]map[string]string{}
			admission := &kueue.Admission{ClusterQueue: one.Queue, PodSetAssignments: assignment.ToAPI(log)}
			for _, part := range admission.PodSetAssignments {
				names := map[string]string{}
				for resource, flavor := range part.Flavors {
					names[string(resource)] = string(flavor)
				}
				result.Flavors[string(part.Name)] = names
			}
			admitted := one.Workload.DeepCopy()
			later := utilClock{time.Unix(int64(cycle+1), 0)}
			workload.SetQuotaReservation(admitted, admission, later)
			workload.SyncAdmittedCondition(admitted, later.now)
			cache.AddOrUpdateWorkload(log, admitted)
		}
		found = append(found, result)
	}
	return found
}

// utilClock is a clock that stands still: workloads are admitted one second after the other.
type utilClock struct{ now time.Time }

func (c utilClock) Now() time.Time                       { return c.now }
func (c utilClock) Since(t time.Time) time.Duration      { return c.now.Sub(t) }
func (c utilClock) After(time.Duration) <-chan time.Time { return nil }
func (c utilClock) NewTimer(time.Duration) clock.Timer   { return nil }
func (c utilClock) Sleep(time.Duration)                  {}
func (c utilClock) Tick(time.Duration) <-chan time.Time  { return nil }

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
